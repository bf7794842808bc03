"""Say something: the results of tools in a sentence, a question for what is missing, small talk.

In: results and what to say about them. Out: text, in English or Chinese. Results are quoted as
data; nothing in them is obeyed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from course_pkg.practice.offers import Offer, Parameter

MAX_QUOTE_CHARS = 300
MAX_ARGUMENT_CHARS = 60
MAX_ITEMS = 5


@dataclass(frozen=True, kw_only=True)
class Done:
    """A call that was made, with its result.

    Attributes:
        name: the tool.
        arguments: its arguments; empty if they were no JSON object.
        written: the arguments as they were written.
        result: the text of the tool message.
        failed: whether the result reports an error.
    """

    name: str
    arguments: Mapping[str, Any]
    written: str
    result: str
    failed: bool


def say_results(done: Sequence[Done], *, chinese: bool) -> str:
    """What the tools found, a sentence each; what failed, with the reason."""
    lines = [_say_one(item, chinese=chinese) for item in done]
    return "\n".join(dict.fromkeys(lines))


def _say_one(item: Done, *, chinese: bool) -> str:
    asked = {
        name: brief(in_words(value, chinese=chinese), MAX_ARGUMENT_CHARS)
        for name, value in item.arguments.items()
    }
    comma = "，" if chinese else ", "
    call = comma.join(f"{name}: {words}" for name, words in asked.items())
    call = (f"（{call}）" if chinese else f" ({call})") if call else ""
    if item.failed:
        reason = brief(item.result)
        return (
            f"{item.name}{call}没有成功：{reason}"
            if chinese
            else f"{item.name}{call} did not work: {reason}"
        )
    said = result_in_words(_without_echo(item), chinese=chinese)
    return f"{item.name}{call}的结果是：{said}" if chinese else f"{item.name}{call} gave: {said}"


def _without_echo(item: Done) -> str:
    """A JSON result without what only repeats the arguments."""
    try:
        value = json.loads(item.result)
    except (ValueError, RecursionError):
        return item.result
    if not isinstance(value, dict):
        return item.result
    told = [str(argument) for argument in item.arguments.values()]
    fresh = {name: part for name, part in value.items() if str(part) not in told}
    return json.dumps(fresh or value, ensure_ascii=False)


def result_in_words(result: str, *, chinese: bool) -> str:
    """A result for people: JSON as words, text as it is, both brief."""
    try:
        value = json.loads(result)
    except (ValueError, RecursionError):
        return brief(result)
    return brief(in_words(value, chinese=chinese)) or brief(result)


def in_words(value: Any, *, chinese: bool, depth: int = 0) -> str:
    """A JSON value in words: "temperature: 18, unit: celsius"."""
    comma, stop = ("，", "；") if chinese else (", ", "; ")
    if isinstance(value, dict) and depth < 4:
        pairs = (
            (name, in_words(part, chinese=chinese, depth=depth + 1)) for name, part in value.items()
        )
        colon = "：" if chinese else ": "
        return comma.join(f"{str(name).replace('_', ' ')}{colon}{words}" for name, words in pairs)
    if isinstance(value, list) and depth < 4:
        shown = [in_words(part, chinese=chinese, depth=depth + 1) for part in value[:MAX_ITEMS]]
        more = len(value) - MAX_ITEMS
        if more > 0:
            shown.append(f"还有 {more} 项" if chinese else f"and {more} more")
        return (stop if any(isinstance(part, dict) for part in value) else comma).join(shown)
    return _plain(value, chinese=chinese)


def _plain(value: Any, *, chinese: bool) -> str:
    if isinstance(value, bool):
        return ("是" if value else "否") if chinese else ("yes" if value else "no")
    if value is None:
        return "无" if chinese else "nothing"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def brief(text: str, limit: int = MAX_QUOTE_CHARS) -> str:
    """The first part of a long text, cut between words, with a sign that it goes on."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    kept = text[:limit]
    cuts = [match.end() for match in re.finditer(r"[.!?。！？](?:\s|(?=[^\s\d]))|\s", kept)]
    return kept[: cuts[-1] if cuts and cuts[-1] > limit // 2 else None].rstrip() + " …"


def ask_for(missing: Iterable[tuple[Offer, Parameter]], *, chinese: bool) -> str:
    """A question that names each parameter for which the user gave no value."""
    return "\n".join(_question(offer, parameter, chinese=chinese) for offer, parameter in missing)


def _question(offer: Offer, parameter: Parameter, *, chinese: bool) -> str:
    about = brief(parameter.description).rstrip(".。")
    if chinese:
        what = f"{parameter.name}（{about}）" if about else f"{parameter.name} "
        return f"请告诉我 {what}是什么？调用 {offer.name} 需要它。"
    what = f'"{parameter.name}" ({about})' if about else f'"{parameter.name}"'
    return f"Which value should I use for {what}? I need it to call {offer.name}."


def no_tool_fits(offers: Sequence[Offer], *, chinese: bool) -> str:
    """That this is the practice model and which tools are on offer."""
    names = ("、" if chinese else ", ").join(offer.name for offer in offers)
    if chinese:
        offered = f"可用的工具：{names}。" if names else "这个请求没有带任何工具。"
        return (
            f"我是练习模型，不是语言模型：我只会按你的话挑选工具，而这句话没有合适的工具。{offered}"
        )
    offered = f"Tools on offer: {names}." if names else "This request offers no tools."
    return (
        "I am the practice model, not a language model: I can only pick a tool by your words, and "
        f"none fits here. {offered}"
    )


def without_tools(offers: Sequence[Offer], *, chinese: bool) -> str:
    """That no tool is called, since the user or the request asked for that."""
    names = ("、" if chinese else ", ").join(offer.name for offer in offers)
    if chinese:
        offered = f"可用的工具：{names or '无'}。"
        return f"好的，这次我不调用工具。我是练习模型，没有工具就答不出什么。{offered}"
    return (
        "As you wish, I call no tool. I am the practice model and know little without one. "
        f"Tools on offer: {names or 'none'}."
    )


_SMALL_TALK: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), english, chinese)
    for pattern, english, chinese in (
        (
            r"(?:hi|hello|hey|hiya|yo|good (?:morning|afternoon|evening|day)|"
            r"greetings|howdy)(?:[ ,]+(?:there|again|all|everyone|friend|"
            r"practice model|model|bot))?|(?:你好|您好|嗨|哈喽|早上好|早安|下午好|"
            r"晚上好|早|大家好|嘿|"
            r"在吗|在不在|有人吗)[呀啊吗]?",
            "Hello. I am the practice model. Ask me for something that one of the tools can do.",
            "你好，我是练习模型。请说一件工具能办的事。",
        ),
        (
            r"(?:ok(?:ay)?|great|perfect|cool|nice|good|awesome|super|"
            r"wow)?[ ,.!]*(?:thanks?|thank you|thx|ty|cheers|"
            r"much appreciated)(?: (?:so much|very much|a lot|again|for (?:your|"
            r"the) help|for (?:that|everything)|you|that'?s all|"
            r"bye))*[ ,.!]*(?:that(?:'s| is| was)? (?:great|all|very helpful|"
            r"helpful|perfect|it))?|(?:好的|太好了|好|行|嗯)?[，, ]?(?:非常|十分|太|"
            r"多)?(?:谢谢|感谢|"
            r"多谢|谢啦|辛苦)(?:你|您|了|啦|你的帮助|帮忙|帮助|你了)*",
            "You are welcome.",
            "不客气。",
        ),
        (
            r"(?:good ?)?bye(?: bye)?|see you(?: later| soon| tomorrow)?|"
            r"good night|ciao|再见|拜拜|回头见|晚安|明天见|下次见",
            "Goodbye.",
            "再见。",
        ),
        (
            r"how are you(?: doing)?(?: today)?|how's it going|what'?s up|"
            r"how do you do|你(?:今天)?(?:好吗|怎么样|还好吗)|最近怎么样|最近好吗|吃了吗",
            "I am a program, so I am always the same, thank you. What can a tool do for you?",
            "我是程序，一直都一样，谢谢。需要工具帮你做什么？",
        ),
        (
            r"who are you|what are you|are you (?:a |an )?(?:real |human|"
            r"person|robot|bot|ai|chatgpt|language model|llm|real).*|what(?:'s|"
            r" is) your name|你是谁|你是什么|你叫什么(?:名字)?|你是(?:真人|人|机器人|"
            r"人工智能|AI|ai|"
            r"ChatGPT|语言模型|大模型|真的).*",
            "I am the practice model of this course: rules that compare your words with the tools. "
            "I am no language model.",
            "我是本课程的练习模型：用规则比较你的话和工具的说明，不是语言模型。",
        ),
        (
            r"(?:ok(?:ay)?|yes|no|sure|great|cool|nice|good|perfect|awesome|"
            r"got it|i see|fine|lol|haha+|well done|good job|nice work|"
            r"never ?mind|that's all|nothing)|好的?|嗯+|行|明白了?|知道了|可以|不错|哈哈+|收到|"
            r"没事了?|算了|懂了|原来如此|厉害|真棒",
            "All right. Tell me what to do next.",
            "好的。接下来要做什么，请告诉我。",
        ),
    )
)
_WHAT_CAN_YOU_DO = re.compile(
    r"what can you do(?: for me)?|what (?:tools|functions) (?:do you have|"
    r"are there|can you use|are available)|which tools .*|help(?: me)?|"
    r"list (?:your |the )?tools|what do you do|how can you help(?: me)?|"
    r"你能(?:做|干)(?:些)?什么|你会(?:做)?(?:些)?什么|你有(?:哪些|什么)工具|有(?:哪些|"
    r"什么)工具(?:可以用|"
    r"可用)?|你可以做什么|怎么用|帮助|能干嘛|你能干嘛|你会干嘛",
    re.IGNORECASE,
)


def small_talk(text: str, offers: Sequence[Offer], *, chinese: bool) -> str | None:
    """A short reply to a greeting, thanks and the like; `None` if the text is something else."""
    plain = re.sub(r"[\s!.?,~！。？，～、:;)(]+$", "", text.strip())
    plain = re.sub(r"^[\s,，]+", "", plain)
    if _WHAT_CAN_YOU_DO.fullmatch(plain):
        return what_is_on_offer(offers, chinese=chinese)
    for pattern, english_reply, chinese_reply in _SMALL_TALK:
        if pattern.fullmatch(plain):
            return chinese_reply if chinese else english_reply
    return _two_in_one(plain, offers, chinese=chinese)


def _two_in_one(text: str, offers: Sequence[Offer], *, chinese: bool) -> str | None:
    """Answer what is made of several pieces, such as "Hi, how are you?"."""
    parts = [part for part in re.split(r"\s*[,，.!！。？?]\s*", text) if part]
    if len(parts) < 2 or len(text) > 80:
        return None
    said = [small_talk(part, offers, chinese=chinese) for part in parts]
    return said[-1] if all(said) else None


def what_is_on_offer(offers: Sequence[Offer], *, chinese: bool) -> str:
    """The tools, each with the first sentence of its description."""
    lines = [
        f"- {offer.name}: {_first_sentence(offer.description)}".rstrip(": ") for offer in offers
    ]
    if not lines:
        return no_tool_fits(offers, chinese=chinese)
    head = (
        "我是练习模型，可以调用这些工具："
        if chinese
        else "I am the practice model. I can call these tools:"
    )
    return "\n".join([head, *lines])


def _first_sentence(text: str) -> str:
    return brief(re.split(r"(?<=[.。])\s*(?=\S)", text.strip(), maxsplit=1)[0])
