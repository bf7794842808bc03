"""What a request adds to the one before it, in words and in marks."""

from __future__ import annotations

from course_pkg.widgets.reading import read

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "Hello"}
REPLY = {"role": "assistant", "content": "Hello."}
MORE = {"role": "user", "content": "And now?"}


def notes(recording) -> str:
    return " ".join(read(recording.frames)[0][-1].notes)


def lines_in_state(recording, state) -> str:
    lines = read(recording.frames)[0][-1].lines
    return "\n".join(
        "".join(part.text for part in line.parts) for line in lines if line.state == state
    )


def test_the_first_request_says_what_it_holds(recording):
    recording.asked(SYSTEM, USER, tools=recording.tools)

    assert notes(recording) == "The first request: 2 messages and 5 tools."


def test_added_messages_are_named_and_described(recording):
    calls = recording.calling(recording.call("call_1", "calculate", expression="1+1"))
    recording.asked(SYSTEM, USER)
    recording.asked(SYSTEM, USER, calls, recording.result("call_1", "2"))

    assert notes(recording).startswith(
        'Messages 3 and 4 added, the rest as before. New: assistant with 1 call, tool for "call_1".'
    )


def test_one_added_message_is_said_in_the_singular(recording):
    recording.asked(SYSTEM, USER)
    recording.asked(SYSTEM, USER, REPLY)

    assert notes(recording).startswith("Message 3 added, the rest as before. New: assistant.")


def test_only_added_messages_are_marked_and_old_ones_are_short(recording):
    recording.asked(SYSTEM, USER)
    recording.asked(SYSTEM, USER, REPLY, MORE)

    assert "And now?" in lines_in_state(recording, "added")
    assert lines_in_state(recording, "old").count("role") == 2


def test_an_unchanged_tool_list_points_to_the_frame_that_shows_it(recording):
    for messages in ([USER], [USER, REPLY, MORE], [USER, REPLY, MORE, REPLY]):
        recording.asked(*messages, tools=recording.tools)

    assert "Tool list unchanged (5 tools)." in notes(recording)
    assert "[ the same 5 tools as in frame 1 ]" in lines_in_state(recording, "old")


def test_a_changed_tool_list_says_so_and_marks_the_new_tool(recording):
    recording.asked(USER, tools=recording.tools[:1])
    recording.asked(USER, tools=recording.tools[:2])

    assert "Tool list changed: 2 tools now, 1 before." in notes(recording)
    assert "search_docs" in lines_in_state(recording, "added")
    assert "get_weather" not in lines_in_state(recording, "added")


def test_a_changed_setting_is_told_with_both_values(recording):
    recording.asked(USER, temperature=0)
    recording.asked(USER, temperature=1)

    assert "temperature: 0 before, 1 now." in notes(recording)
    assert '"temperature": 1' in lines_in_state(recording, "added")


def test_settings_that_are_gone_are_told_in_their_order(recording):
    recording.asked(USER, seed=1, user="u", top_p=1)
    recording.asked(USER)

    assert "seed: 1 before, not given now. user: " in notes(recording)


def test_a_retry_is_the_same_request(recording):
    recording.asked(SYSTEM, USER)
    recording.asked(SYSTEM, USER)

    assert notes(recording).startswith("The same 2 messages as in frame 1.")


def test_a_changed_message_is_not_called_added(recording):
    recording.asked(SYSTEM, USER)
    recording.asked(SYSTEM, MORE)

    assert notes(recording).startswith(
        "Message 2 different, the rest as before (frame 1 had 1 other message there)."
    )


def test_messages_that_were_left_out_are_named(recording):
    recording.asked(SYSTEM, USER, REPLY)
    recording.asked(SYSTEM)

    assert notes(recording).startswith("Messages 2 and 3 of frame 1 left out, the rest as before.")


def test_each_of_two_interleaved_conversations_is_compared_with_itself(recording):
    recording.asked(SYSTEM, USER)
    recording.asked(MORE)
    recording.asked(SYSTEM, USER, REPLY)

    assert notes(recording).startswith("Message 3 added, the rest as before.")
