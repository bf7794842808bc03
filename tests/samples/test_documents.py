"""The search tool and the pages that it searches."""

from __future__ import annotations

import re
import threading
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_pkg.samples import search_docs
from course_pkg.samples.documents import PAGES, Page, PageIndex, match_text, page_of, pages_in

ALL_PAGES = pages_in(PAGES)


def found(query: str, num_results: int = 3) -> list[str]:
    return [result["page"] for result in search_docs(query, num_results)["results"]]


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("What is a tool call?", "what-a-tool-call-is"),
        ("six steps", "six-steps"),
        ("How does a tool schema look?", "tool-schema"),
        ("why are arguments a JSON string", "arguments-string"),
        ("tool_call_id", "tool-call-id"),
        ("How do parallel calls work?", "parallel-calls"),
        ("tool_choice", "tool-choice"),
        ("streaming", "streaming"),
        ("When does the loop stop?", "the-loop"),
        ("anyOf vs oneOf", "anyof-oneof"),
        ("strict mode", "strict-mode"),
        ("Is format: email checked?", "format-checks"),
        ("enum minimum maximum", "constraints"),
        ("how to write good descriptions", "descriptions"),
        ("the tool failed with an error", "errors-are-results"),
        ("timeouts", "time-limits"),
        ("RETRY with backoff", "retries"),
        ("idempotency key", "retries"),
        ("the model repeats the same call", "repeated-calls"),
        ("Hermes parser", "text-formats"),
        ("What is MCP for?", "mcp-overview"),
        ("writing an MCP server", "mcp-server"),
        ("MCP client", "mcp-client"),
        ("stdio or Streamable HTTP transport", "transports"),
        ("initialize handshake", "protocol-eras"),
        ("server/discover", "protocol-eras"),
        ("sidecar", "local-programs"),
        ("prompt injection", "security"),
        ("function calling or a sidecar, how to choose", "choosing"),
        ("practice model", "practice-model"),
        ("how do I read the inspector", "inspector"),
        ("glossary of terms", "glossary"),
        ("工具调用是什么", "what-a-tool-call-is"),
        ("六步", "six-steps"),
        ("参数为什么是字符串", "arguments-string"),
        ("并行调用", "parallel-calls"),
        ("请问并行调用怎么用？", "parallel-calls"),
        ("流式", "streaming"),
        ("流式输出是什么", "streaming"),
        ("工具选择", "tool-choice"),
        ("严格模式", "strict-mode"),
        ("枚举", "constraints"),
        ("描述怎么写", "descriptions"),
        ("错误", "errors-are-results"),
        ("超时", "time-limits"),
        ("幂等", "retries"),
        ("MCP 服务器", "mcp-server"),
        ("MCP客户端", "mcp-client"),
        ("传输方式", "transports"),
        ("握手", "protocol-eras"),
        ("提示注入", "security"),
        ("术语", "glossary"),
        ("帧", "inspector"),
    ],
)
def test_a_question_finds_its_page_first(query: str, page: str) -> None:
    assert found(query)[0] == page


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: page.name)
def test_each_page_is_found_by_its_own_title_and_by_each_chinese_keyword(page: Page) -> None:
    chinese = page.keywords.split(";")[1].split()

    assert found(page.title, 1) == [page.name]
    assert all(page.name in found(word, 10) for word in chinese)


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: page.name)
def test_each_page_has_a_title_keywords_in_two_languages_and_a_short_text(page: Page) -> None:
    assert page.title
    assert re.fullmatch(r"[^;]+; [^;]*[\u4e00-\u9fff]+[^;]*", page.keywords)
    assert 60 <= len(page.text.split()) <= 150


def test_there_are_pages_enough_and_no_title_twice() -> None:
    titles = Counter(page.title for page in ALL_PAGES)

    assert len(ALL_PAGES) >= 20
    assert max(titles.values()) == 1


def test_a_result_has_title_page_and_excerpt() -> None:
    assert search_docs("parallel tool calls", 1) == {
        "results": [
            {
                "title": "Parallel tool calls",
                "page": "parallel-calls",
                "excerpt": (
                    "…Each call is judged alone: if one fails, its result says so and the others "
                    "still count. Set `parallel_tool_calls` to false to get one call at a time; "
                    "not every…"
                ),
            }
        ]
    }


@pytest.mark.parametrize("query", ["pizza Naples", "量子", "the of what", "什么", "?!", "   ", ""])
def test_without_a_match_the_list_is_empty_and_a_note_says_so(query: str) -> None:
    answer = search_docs(query)

    assert answer["results"] == []
    assert answer["note"].startswith("No page of the course matches")


@pytest.mark.parametrize("count", [1, 2, 5, 10])
def test_no_more_results_come_than_were_asked_for(count: int) -> None:
    assert len(found("tool model call", count)) == count


def test_by_default_three_results_come() -> None:
    assert len(search_docs("tool model call")["results"]) == 3


@pytest.mark.parametrize(
    "query",
    [
        'say "strict',
        "strict AND",
        "strict OR NOT",
        "NEAR(strict, 2)",
        "title : strict",
        "-strict",
        "^strict",
        "strict*",
        "(strict",
        "{title} : strict",
        "strict'; DROP TABLE pages; --",
        "strict\0mode",
        "strict \ud800",
        '"""strict"""',
        "strict + mode",
        "严格\"模式'",
    ],
    ids=ascii,
)
def test_no_sign_of_the_query_language_is_an_operator(query: str) -> None:
    assert "strict-mode" in found(query)


@given(query=st.text(st.characters()))
def test_any_query_is_answered(query: str) -> None:
    assert isinstance(search_docs(query)["results"], list)


@given(
    words=st.lists(st.sampled_from(["AND", "OR", "NOT", "NEAR(", '"', "*", ":", "^", "工", "a_"]))
)
def test_any_row_of_operators_is_answered(words: list[str]) -> None:
    assert isinstance(search_docs(" ".join(["x", *words]))["results"], list)


def test_a_very_long_query_is_cut_rather_than_refused() -> None:
    assert found("strict mode " + "工具 x y z " * 20_000)[0] == "strict-mode"


def test_chinese_is_sought_by_pairs_and_words_by_their_beginning() -> None:
    assert match_text("How do MCP 服务器 go") == '"mcp"* OR "服 务" OR "务 器" OR "go"'


def test_an_excerpt_shows_chinese_without_gaps() -> None:
    index = PageIndex([page_of("x", "# 标题一\nKeywords: a\n北京 is 很大的城市 indeed")])

    (result,) = index.search("城市", 1)
    index.close()

    assert result == {"title": "标题一", "page": "x", "excerpt": "北京 is 很大的城市 indeed"}


def test_many_threads_search_at_once() -> None:
    pages: list[str] = []
    threads = [
        threading.Thread(target=lambda: pages.append(found("streaming", 1)[0])) for _ in range(16)
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert pages == ["streaming"] * 16
