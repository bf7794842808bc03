"""The message tool and its outbox."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_pkg.samples import clear_outbox, outbox, send_message
from course_pkg.samples.folder import course_folder
from course_pkg.samples.messages import MAX_CONTENT_CHARS, Outbox, outbox_of
from course_pkg.tools import ToolError


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COURSE_FOLDER", str(tmp_path / "mine"))
    return tmp_path / "mine"


def test_a_message_lands_in_the_outbox_with_the_id_of_its_receipt() -> None:
    receipt = send_message(to="Anna", content="明天十点开会", urgent=True)

    assert outbox() == [
        {"id": receipt["id"], "to": "Anna", "content": "明天十点开会", "urgent": True}
    ]


def test_a_receipt_has_no_path_and_no_time_in_it() -> None:
    receipt = send_message(to="Anna", content="Hello")

    assert receipt == {"status": "sent", "id": "msg_619a75fed751", "to": "Anna", "urgent": False}


def test_the_same_outbox_gives_the_same_ids() -> None:
    first = [send_message(to="Anna", content=text)["id"] for text in ("one", "two")]
    clear_outbox()
    second = [send_message(to="Anna", content=text)["id"] for text in ("one", "two")]

    assert first == second


def test_the_same_message_sent_twice_is_two_messages() -> None:
    ids = [send_message(to="Anna", content="Hello")["id"] for _ in range(2)]

    assert [message["id"] for message in outbox()] == ids
    assert len(set(ids)) == 2


def test_the_file_is_one_json_object_a_line_in_readable_utf_8(own_folder: Path) -> None:
    send_message(to="李华", content="第一行\n第二行")

    (line,) = (own_folder / "outbox.jsonl").read_bytes().decode("utf-8").splitlines()
    assert '"to": "李华", "content": "第一行\\n第二行", "urgent": false}' in line


def test_without_messages_the_outbox_is_empty() -> None:
    assert outbox() == []
    assert clear_outbox() == 0


def test_clearing_says_how_many_messages_there_were() -> None:
    send_message(to="Anna", content="one")
    send_message(to="Ben", content="two")

    assert clear_outbox() == 2
    assert outbox() == []


def test_many_threads_send_at_once_and_nothing_is_lost() -> None:
    threads = [
        threading.Thread(target=send_message, kwargs={"to": "Anna", "content": f"message {n}"})
        for n in range(40)
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {message["content"] for message in outbox()} == {f"message {n}" for n in range(40)}
    assert len({message["id"] for message in outbox()}) == 40


@pytest.mark.parametrize(
    ("to", "content", "reason"),
    [
        (" ", "Hello", "'to' is blank"),
        ("Anna", " \n ", "'content' is blank"),
        ("", "Hello", "at least 1 character"),
        ("Anna", "x" * 2001, "at most 2000 characters"),
        ("Anna", "half \ud83d", "valid string"),
    ],
)
def test_what_cannot_be_sent_is_refused_and_nothing_is_written(
    to: str, content: str, reason: str
) -> None:
    with pytest.raises((ToolError, ValueError), match=reason):
        send_message(to=to, content=content)

    assert outbox() == []


def test_an_outbox_that_cannot_be_written_says_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where a folder is needed", encoding="utf-8")
    blocked = Outbox(path=tmp_path / "taken" / "outbox.jsonl")

    with pytest.raises(ToolError, match=r"cannot be written: .*Set COURSE_FOLDER") as caught:
        blocked.append({"to": "Anna"})

    assert str(tmp_path) not in str(caught.value)


def test_a_line_that_was_spoilt_by_hand_is_named(own_folder: Path) -> None:
    send_message(to="Anna", content="Hello")
    with (own_folder / "outbox.jsonl").open("a", encoding="utf-8") as opened:
        opened.write("\n{oops\n")

    with pytest.raises(ValueError, match=r"Line 2 .*'\{oops'.*clear_outbox\(\)"):
        outbox()


@pytest.mark.parametrize(
    ("environment", "path"),
    [
        ({}, Path(".course")),
        ({"COURSE_FOLDER": " "}, Path(".course")),
        ({"COURSE_FOLDER": "mine"}, Path("mine")),
    ],
)
def test_the_folder_is_the_one_that_was_set(
    environment: dict[str, str], path: Path, tmp_path: Path
) -> None:
    assert course_folder(environment, tmp_path) == (
        tmp_path / path if path.name == ".course" else path
    )


def test_the_folder_stands_beside_the_notebooks_wherever_the_work_goes_on(tmp_path: Path) -> None:
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    (notebooks / "00_start_here.ipynb").write_text("{}", encoding="utf-8")

    assert course_folder({}, notebooks) == tmp_path / ".course"


def test_messages_go_to_the_outbox_in_that_folder() -> None:
    assert outbox_of({"COURSE_FOLDER": "mine"}).path == Path("mine") / "outbox.jsonl"


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50)


@given(contents=st.lists(TEXTS, max_size=5))
def test_any_text_comes_back_as_it_was_sent(
    tmp_path_factory: pytest.TempPathFactory, contents: list[str]
) -> None:
    box = Outbox(path=tmp_path_factory.mktemp("box") / "outbox.jsonl")

    for content in contents:
        box.append({"content": content})

    assert [message["content"] for message in box.messages()] == contents


def test_the_description_tells_the_limit_that_the_schema_has() -> None:
    content = send_message.input_schema["properties"]["content"]

    assert content["maxLength"] == MAX_CONTENT_CHARS
    assert f"1 to {MAX_CONTENT_CHARS} characters" in content["description"]
