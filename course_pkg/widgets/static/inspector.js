// What the inspector can do where scripts run: filter, copy, export, open and close all.
//
// In: the markup that Python made (html_form.py), whole in a saved page or row by row in the live
// widget. Out: the same, with a toolbar. No dependency, no network, no build step.
//
// Text of a payload is touched as textContent only. The one place that parses markup is ours():
// it gets what html_form.py has escaped, so that there is one renderer and not a twin in here.
// tests/widgets/test_hostile.py and tests/browser prove that such markup is inert.

const DEBOUNCE_MS = 150;
const HANDOVER_MS = 5000;

function ours(markup) {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return template.content;
}

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// ---- Copying ------------------------------------------------------------------------------------

// Inside '…' a POSIX shell reads everything as it is, but for the quote itself.
const posix = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
// PowerShell takes four more characters for the quote.
const powershell = (text) => `'${text.replace(/['\u2018-\u201b]/g, "$&$&")}'`;

function endpoint(label) {
  return label.replace(/^\w+ /, "").replace(/^.*(?=\/(chat\/completions|models)$)/, "");
}

function asCurl({ label, text }) {
  const data = text ? ` \\\n  -H 'Content-Type: application/json' \\\n  --data-binary ${posix(text)}` : "";
  return `curl -sS "$OPENAI_BASE_URL${endpoint(label)}" \\\n  -H "Authorization: Bearer $OPENAI_API_KEY"${data}`;
}

function asPowerShell({ label, text }) {
  const data = text
    ? ` -ContentType 'application/json; charset=utf-8' -Body ([Text.Encoding]::UTF8.GetBytes(${powershell(text)}))`
    : "";
  return (
    `Invoke-RestMethod -Method ${label.split(" ")[0]} -Uri "$env:OPENAI_BASE_URL${endpoint(label)}"` +
    ` -Headers @{ Authorization = "Bearer $env:OPENAI_API_KEY" }${data}`
  );
}

function asPython({ label, text }) {
  const client =
    "import json\nimport os\n\nfrom openai import OpenAI\n\n" +
    'client = OpenAI(\n    base_url=os.environ["OPENAI_BASE_URL"],\n    api_key=os.environ["OPENAI_API_KEY"],\n)\n';
  if (!text) return `${client}print(client.models.list())\n`;
  // A JSON string is a Python string with the same meaning.
  return (
    `${client}payload = json.loads(\n    ${JSON.stringify(text)}\n)\n` +
    `answer = client.post("${endpoint(label)}", body=payload, cast_to=object)\nprint(answer)\n`
  );
}

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages that came over plain http from another computer have no clipboard of this kind.
    const area = make("textarea", { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

// ---- The view -----------------------------------------------------------------------------------

// Live views that stand, or have just gone: their saved form opens the rows that were open.
const standing = (globalThis.toolCallInspectors ??= new Set());

function upgrade(root, live = false) {
  const rows = root.querySelector(".rows");
  const pending = new WeakMap(); // bodies that nobody has opened yet, as markup
  const found = new WeakMap(); // what the filter searches in, made once a row
  const view = { rows, open: new Set(), signature: () => signature(rows) };

  const status = make("span", { className: "sta" });
  status.setAttribute("role", "status");
  const tell = (text) => (status.textContent = text);

  const items = () => [...rows.children];
  const details = (item) => item.firstElementChild;
  const isRow = (details) => details?.parentElement?.parentElement === rows;

  function fill(item) {
    if (!pending.has(item)) return;
    details(item).append(ours(pending.get(item)));
    pending.delete(item);
  }

  function opened(item) {
    fill(item);
    const body = item.querySelector(".b");
    if (!body.querySelector(".cp")) body.prepend(copyBar(item));
  }

  function frameOf(item) {
    fill(item);
    return {
      number: items().indexOf(item) + 1,
      wire: item.dataset.w,
      direction: item.dataset.d,
      label: item.dataset.l ?? "",
      summary: item.querySelector("bdi").textContent,
      text: item.querySelector("pre.raw")?.textContent ?? "",
      cut: Boolean(item.querySelector(".cut")),
    };
  }

  // -- copy
  function copyBar(item) {
    const windows = navigator.userAgent.includes("Windows");
    const { text } = frameOf(item);
    const kind = text.startsWith("data:") ? "events" : item.querySelector(".b>pre") ? "JSON" : "text";
    const ways = text ? [[`Copy ${kind}`, (frame) => frame.text, "Copied."]] : [];
    if (item.dataset.l && item.dataset.d === "sent") {
      const shell = windows ? ["Copy for PowerShell", asPowerShell] : ["Copy as curl", asCurl];
      const needs = "Copied. It reads OPENAI_BASE_URL and OPENAI_API_KEY from the environment.";
      ways.push([...shell, needs], ["Copy as Python", asPython, needs]);
    }
    return make("div", { className: "cp" }, ...ways.map((way) => copyButton(item, ...way)));
  }

  function copyButton(item, label, write, done) {
    const button = make("button", { type: "button", textContent: label });
    button.addEventListener("click", async () => {
      const frame = frameOf(item);
      if (frame.cut) return tell("This payload is cut here. Read it in Python: frames[…].text");
      await toClipboard(write(frame));
      tell(done);
    });
    return button;
  }

  // -- filter
  function searchText(item) {
    if (!found.has(item)) {
      const body = pending.has(item) ? ours(pending.get(item)) : item;
      const parts = [item.querySelector("summary"), ...body.querySelectorAll("pre,.c,.p")];
      found.set(item, parts.map((part) => part.textContent).join("\n").toLowerCase());
    }
    return found.get(item);
  }

  const words = make("input", { type: "search", placeholder: "Filter by text" });
  const wire = choice("Wire", ["model", "mcp", "sidecar", "local"]);
  const direction = choice("Direction", ["sent", "received"]);
  words.setAttribute("aria-label", "Filter frames by text");

  function choice(label, names) {
    const options = ["", ...names].map((name) =>
      make("option", { value: name, textContent: name || `${label}: all` }),
    );
    const select = make("select", {}, ...options);
    select.setAttribute("aria-label", label);
    select.addEventListener("change", filter);
    return select;
  }

  function filter() {
    const text = words.value.trim().toLowerCase();
    let shown = 0;
    for (const item of items()) {
      const { w, d } = item.dataset;
      const fits =
        (!wire.value || w === wire.value) &&
        (!direction.value || d === direction.value) &&
        (!text || searchText(item).includes(text));
      item.hidden = !fits;
      shown += fits;
    }
    tell(`${shown} of ${items().length} frames shown`);
  }

  let waiting = 0;
  words.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, DEBOUNCE_MS);
  });

  // -- open, close, export
  const visibleItems = () => items().filter((item) => !item.hidden);
  const setAll = (open) => visibleItems().forEach((item) => (details(item).open = open));

  function download() {
    const frames = items().map((item) => {
      const { label, ...frame } = frameOf(item);
      return frame;
    });
    const blob = new Blob([JSON.stringify(frames, null, 1)], { type: "application/json" });
    const link = make("a", { href: URL.createObjectURL(blob), download: "frames.json" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), HANDOVER_MS);
    tell(`${frames.length} frames exported to frames.json`);
  }

  function button(label, act) {
    const element = make("button", { type: "button", textContent: label });
    element.addEventListener("click", act);
    return element;
  }

  rows.addEventListener(
    "toggle",
    ({ target }) => {
      if (!isRow(target)) return;
      if (target.open) opened(target.parentElement);
      const number = items().indexOf(target.parentElement);
      target.open ? view.open.add(number) : view.open.delete(number);
    },
    true,
  );

  // -- keyboard
  // What is typed here is not meant for the notebook: JupyterLab looks for this mark on the element
  // that has the focus. Without it, "d d" on a row deletes the cell. Only "save" goes through.
  root.addEventListener("focusin", ({ target }) =>
    target.setAttribute("data-lm-suppress-shortcuts", "true"),
  );
  root.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      event.preventDefault();
      root.parentElement.dispatchEvent(new KeyboardEvent("keydown", event));
    }
    const summary = event.target.closest("summary");
    if (!summary || !isRow(summary.parentElement)) return;
    const all = visibleItems();
    const here = all.indexOf(summary.closest(".rows>li"));
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    all[to]?.querySelector("summary").focus();
  });

  const bar = make(
    "div",
    { className: "bar" },
    words,
    wire,
    direction,
    button("Expand all", () => setAll(true)),
    button("Collapse all", () => setAll(false)),
    button("Export JSON", download),
    status,
  );
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "Inspector");
  rows.before(bar);

  if (live) standing.add(view);
  else takeOver(view, items);

  return {
    add(row) {
      const item = ours(row.item).firstElementChild;
      pending.set(item, row.body);
      rows.append(item);
      if (words.value || wire.value || direction.value) filter();
    },
    gone: () => setTimeout(() => standing.delete(view), HANDOVER_MS),
  };
}

const signature = (rows) =>
  [...rows.querySelectorAll("bdi")].map((line) => line.textContent).join("\n");

function takeOver(view, items) {
  for (const old of standing) {
    if (old.signature() !== view.signature()) continue;
    for (const number of old.open) items()[number].firstElementChild.open = true;
    standing.delete(old);
    return;
  }
}

// --- widget ---

// Each row is a state key of its own (row1, row2, …), sent once. The notebook keeps state until
// this script is loaded, while it drops messages that come earlier.
function render({ model, el }) {
  el.append(ours(model.get("shell")));
  const view = upgrade(el.firstElementChild, true);
  const head = el.querySelector(".hd");
  let shown = 0;
  function update() {
    const before = shown;
    for (let row; (row = model.get(`row${shown + 1}`)); shown += 1) view.add(row);
    if (shown > before) head.replaceChildren(ours(model.get("head")));
  }
  model.on("change", update);
  update();
  return () => {
    model.off("change", update);
    view.gone();
  };
}

export default { render };
