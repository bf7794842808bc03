// JupyterLab's shortcuts hear the keys of menus and buttons too: an arrow would leave the form, and
// "d d" would delete the cell. The form around this element keeps its keys to itself. JupyterLab
// looks for the mark on the element that has the focus. Only "save" goes through.
const TRIES = 60;

function keepKeys(element, tries) {
  const form = element.closest(".widget-vbox");
  if (form === null) {
    if (tries > 0) requestAnimationFrame(() => keepKeys(element, tries - 1));
    return;
  }
  form.addEventListener("focusin", ({ target }) =>
    target.setAttribute("data-lm-suppress-shortcuts", "true"),
  );
  form.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      event.preventDefault();
      form.parentElement.dispatchEvent(new KeyboardEvent("keydown", event));
    }
  });
}

export default {
  render({ el }) {
    el.hidden = true;
    keepKeys(el, TRIES);
  },
};
