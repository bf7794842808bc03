"""Orders to the model in the texts of a definition.

In: a text. Out: what in it reads like an order. A description says what a tool does; it has no
business telling the model what to do besides, and least of all what to hide from the user.

The rules know English and Chinese. They look at the text as a model reads it: without what hides,
with letters of other alphabets that look Latin made Latin. No list of phrases is complete: a text
without findings is not proved harmless.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from course_pkg.tools.hidden import without_hidden
from course_pkg.tools.suspicions.letters import as_latin

#: How much is shown of what follows an order, in characters.
MAX_CHARS_AFTER = 60

_STRONG = (
    r"(?:read|open|send|fetch|call|invoke|run|execute|upload|post|forward|copy|attach|append|follow|"
    r"collect|extract)\b(?! (?:this|it)\b)"
)
_ANY = rf"(?:{_STRONG}|(?:get|pass|include|look up|load|print|write|use)\b)"
_USE = (
    r"[^.!?\n]{0,20}?\b(?:us(?:e|ed|ing)|call(?:ed|ing)?|invok(?:e|ed|ing)|run(?:ning)?|"
    r"execut(?:e|ed|ing))\b"
    r"[^.!?\n]{0,30}?[,:]? *"
)
_ADVERBS = (
    r"(?:(?:you|must|should|shall|have to|need to|always|also|first|please|then|be sure to) )*"
)
_SAY = (
    r"(?:tell|inform|mention|show|reveal|notify|alert|warn|ask|disclose|explain|report|say|display|"
    r"admit|expose|point out)"
)


#: What a model knows besides the arguments of a call.
CONTEXT = (
    r"\b(?:(?:chat|conversation|dialogu?e|message) (?:history|log|so far|transcript)\b|"
    r"(?:whole|full|entire|complete|previous|prior) (?:chat|conversation|dialogu?e)\b|"
    r"(?:all|your|the) (?:previous|prior|earlier) (?:user )?"
    r"(?:messages?|tool (?:calls?|results?))\b|"
    r"(?:the|your|its|full|any) (?:system (?:prompt|message)|chain of thought)\b|"
    r"your (?:hidden )?(?:reasoning|instructions)\b)"
)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One way to give a model an order.

    Attributes:
        code: the finding's code.
        pattern: what it looks like.
        text: what it is and why it matters.
        own_tools: whether an order that names a tool of the same server is let pass: a server may
            say which of its tools comes first.
    """

    code: str
    pattern: re.Pattern[str]
    text: str
    own_tools: bool = False


def _rule(code: str, text: str, *patterns: str, own_tools: bool = False) -> Rule:
    pattern = re.compile("|".join(patterns), re.IGNORECASE | re.MULTILINE)
    return Rule(code=code, pattern=pattern, text=text, own_tools=own_tools)


RULES = (
    _rule(
        "marked_block",
        "A mark sets words apart for the model, as a system message would. A description needs "
        "none.",
        r"</? ?(?:important|system|instructions?|secret|hidden|critical|override|thinking)\b"
        r"[^<>\n]{0,40}>",
        r"<\|[a-z_]{2,20}\|>",
        r"\[/?INST\]",
        r"\[(?:hidden|secret|system|admin)\b[^\]\n]{0,40}\]",
        r"<!--",
        r"^[ \t]*#{1,6} *(?:system|instructions?|new instructions?)\b *:?",
    ),
    _rule(
        "keeps_secrets",
        "It tells the model to keep something from the user. No honest tool needs that.",
        rf"\b(?:do not|don'?t|never|must not|should not|without|not to|avoid|no need to)\b "
        rf"(?:ever )?{_SAY}(?:ing|ting)?\b[^.!?\n]{{0,40}}?\bthe (?:user|human|person)\b(?!')",
        r"\b(?:hide|keep|conceal)\b[^.!?\n]{0,40}\bfrom the (?:user|human|person)\b",
        r"\bthe (?:user|human|person) (?:must|should|need|may|does|can)(?: not|n't) (?:to )?"
        r"(?:know|see|notice|learn|be (?:told|informed|asked))\b",
        r"\bwithout (?:the )?(?:user|human|person)'?s? (?:knowing|noticing|knowledge|consent)",
        r"(?:不要|不得|不能|不可|别|切勿|无需|禁止)(?:告诉|告知|通知|提醒|提及|透露|让|向|对)[^。！？\n]{0,12}(?:用户|使用者)",
    ),
    _rule(
        "hidden_order",
        "It tells the model to do something besides what the tool is for.",
        rf"\b(?:before|after|prior to|every time|each time){_USE}{_ADVERBS}\b{_ANY}",
        rf"\b(?:when(?:ever)?|while){_USE}{_ADVERBS}\b{_STRONG}",
        rf"\b(?:you|the (?:assistant|model|ai|agent|llm)) (?:must|should|shall|have to|need to) "
        rf"(?:always |first |also |now |then )*{_STRONG}",
        rf"\b(?:always|first|then|also) {_ANY} (?:the )?(?:whole |full |entire )?"
        rf"(?:contents?|file|files|output|tool|result) (?:of|at|from|in|named|called)\b",
        r"(?:使用|调用|运行)(?:此|本|该|这个)?(?:工具|函数)?(?:之)?(?:前|后|时)[^。！？\n]{0,12}"
        r"(?:读取|打开|发送|上传|调用|执行|运行|附上|复制)",
        r"你(?:必须|务必|应当|应该|需要)(?:首先|先|总是)?(?:读取|打开|发送|上传|调用|执行|附上|复制)",
        own_tools=True,
    ),
    _rule(
        "overrides_orders",
        "It tries to replace what the model was told by others, or to be used instead of other "
        "tools.",
        r"\b(?:ignore|disregard|forget|override|bypass|supersedes?)\b[^.!?\n]{0,30}"
        r"\b(?:instructions?|prompts?|rules?|guidelines?|restrictions?|policy|policies)\b",
        r"\b(?:new|updated|additional) (?:system )?instructions? ?:",
        r"\byou are now\b|\bact as (?:if|though|an? (?:un|ad))",
        r"\b(?:highest|top|absolute) priority\b[^.!?\n]{0,40}\b(?:tool|instruction|over)\b",
        r"\b(?:instead of|rather than) (?:using |calling )?(?:any other|all other|every other|"
        r"other) tools?\b",
        r"\b(?:never|do not|don'?t) (?:use|call) (?:any |the )?other tools?\b",
        r"(?:忽略|无视|忘记|覆盖)[^。！？\n]{0,10}(?:指令|指示|规则|提示词|系统提示|说明)",
    ),
    _rule(
        "secret_place",
        "It names a place where keys and settings are kept. A tool's description has no reason to.",
        r"(?:~|\$home|%userprofile%)[/\\]\.(?:ssh|aws|config|kube|gnupg|docker|cursor|netrc|npmrc)\b",
        r"(?<![a-z])id_(?:rsa|ed25519|ecdsa|dsa)(?![a-z])",
        r"\.aws/credentials\b|/etc/(?:passwd|shadow|sudoers)\b|(?<![\w.])\.env\b(?!iron)",
        r"\b(?:mcp|claude_desktop_config|credentials)\.json\b|\.cursor/",
        r"\bprivate keys?\b|\b(?:ssh|api) keys? (?:of|from) (?:the|this) (?:user|machine|computer)",
    ),
    _rule(
        "asks_for_context",
        "It wants the conversation, or what the model was told. A tool needs its arguments only.",
        rf"\b(?:pass|include|provide|put|insert|attach|append|supply|give|send|write|copy|add|fill)\b"
        rf"[^.!?\n]{{0,60}}?{CONTEXT}",
        r"(?:填入|附上|传入|写入|提供|复制|发送)[^。！？\n]{0,20}(?:(?:对话|聊天|会话)(?:记录|历史|内容)|系统提示词?)",
    ),
    _rule(
        "sends_elsewhere",
        "It wants a copy of something sent to an address that the user did not choose.",
        r"\b(?:bcc|cc|forward|copy|also send|send a copy of|mirror)\b[^.!?\n]{0,60}"
        r"(?:https?://|[\w.+-]+@[\w-]+\.\w)",
        r"\b(?:must|always|first|then|also|secretly)\b[^.!?\n]{0,20}"
        r"\b(?:send|post|upload|forward|report)\b[^.!?\n]{0,60}(?:https?://|[\w.+-]+@[\w-]+\.\w)",
        r"!\[[^\]\n]{0,80}\]\(https?://",
    ),
    _rule(
        "pushed_out_of_view",
        "A long gap pushes words out of the window in which a person looks at the text.",
        r"[ \t\u00a0\u3000]{60}|(?:\r?\n[ \t]{0,40}){15}",
    ),
    _rule(
        "encoded_text",
        "A long run of letters and digits could be text in an encoding that a model can read and "
        "a person cannot.",
        r"(?<![\w+/-])(?=[A-Za-z+/]{0,60}\d)[A-Za-z0-9+/]{80,}={0,2}(?![\w+/-])",
    ),
)


def orders_in(text: str, own_tools: Iterable[str] = ()) -> Iterator[tuple[Rule, str]]:
    """What in a text reads like an order, each with the words in question.

    Args:
        text: one text of a definition.
        own_tools: the names of the same server's tools.
    """
    read = as_latin(without_hidden(text))
    # An order may be broken over lines, or written as the name of a parameter.
    one_line = " ".join(read.split())
    spaced = "\n".join(dict.fromkeys((read, one_line, one_line.replace("_", " "))))
    for rule in RULES:
        for match in rule.pattern.finditer(spaced):
            words = spaced[match.start() : match.end() + MAX_CHARS_AFTER]
            if not (rule.own_tools and _names_one(words, own_tools)):
                yield rule, words if match.end() + MAX_CHARS_AFTER >= len(spaced) else f"{words}…"
                break


def _names_one(words: str, names: Iterable[str]) -> bool:
    sentence = re.split(r"(?<=[.!?。！？])\s", words)[0]
    written = {form for name in names if name for form in (name, name.replace("_", " "))}
    return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", sentence) for form in written)
