"""One line says what a frame is."""

from __future__ import annotations

from course_pkg.widgets.reading import read

USER = {"role": "user", "content": "Hello"}


def last(recording):
    return read(recording.frames)[0][-1]


def test_a_request_is_counted(recording):
    recording.asked(USER, tools=recording.tools[:1], tool_choice="auto", stream=True)

    assert last(recording).summary == '1 message, 1 tool, tool_choice "auto", streamed'


def test_an_answer_with_a_call_shows_the_call_as_python(recording):
    calls = recording.calling(recording.call("call_1", "get_weather", city="北京"))
    recording.said(calls, recording.asked(USER), "tool_calls")

    assert last(recording).summary == '200 · tool_calls · get_weather(city="北京")'


def test_an_answer_in_words_is_quoted(recording):
    recording.said({"role": "assistant", "content": "Good\nday"}, recording.asked(USER))

    assert last(recording).summary == r'200 · stop · "Good\nday"'


def test_tokens_are_read_and_written(recording):
    recording.said({"role": "assistant", "content": "Hi"}, recording.asked(USER))

    assert last(recording).tokens == (612, 25)


def test_an_error_status_shows_what_the_service_said(recording):
    error = {"error": {"message": "Rate limit reached. Try again in 2 s.", "type": "requests"}}
    recording.received(error, recording.asked(USER), label="429", status=429)

    assert last(recording).summary == "429 · Rate limit reached. Try again in 2 s."
    assert last(recording).failed


def test_a_page_instead_of_json_is_shown_as_text(recording):
    recording.received(b"<html>Bad gateway</html>", recording.asked(USER), label="502", status=502)

    assert last(recording).summary == "502 · no JSON: <html>Bad gateway</html>"


def test_no_answer_says_why(recording):
    request = recording.asked(USER)
    recording.received(b"", request, label="no answer", status=None, error="ConnectError: refused")

    assert last(recording).summary == "no answer · ConnectError: refused"


def test_arguments_that_are_no_json_are_shown_as_written(recording):
    broken = {"id": "c", "type": "function", "function": {"name": "add", "arguments": "{a: 1"}}
    recording.said(recording.calling(broken), recording.asked(USER), "tool_calls")

    assert last(recording).summary == "200 · tool_calls · add({a: 1)"


def test_a_streamed_answer_is_put_together_from_its_events(recording):
    head = '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function",'
    events = [
        head + '"function":{"name":"add","arguments":""}}]},"finish_reason":null}]}',
        '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"a\\""}}]}}]}',
        '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":": 1}"}}]}}]}',
        '{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}',
        "[DONE]",
    ]
    body = "".join(f"data: {event}\n\n" for event in events).encode()
    recording.received(
        body, recording.asked(USER), headers=(("content-type", "text/event-stream"),)
    )

    assert last(recording).summary == "200 · tool_calls · add(a=1)"
    assert last(recording).notes == ("The answer came in 5 events. They are put together here.",)


def test_pieces_without_an_index_belong_to_the_call_whose_id_they_follow(recording):
    call = '{"id":"%s","function":{"name":"f","arguments":"%s"}}'
    piece = '{"choices":[{"delta":{"tool_calls":[' + call + "]}}]}"
    more = '{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}}]}}]}'
    body = "".join(
        f"data: {event}\n\n" for event in (piece % ("c1", "{}"), piece % ("c2", "{"), more)
    ).encode()
    recording.received(
        body, recording.asked(USER), headers=(("content-type", "text/event-stream"),)
    )

    assert last(recording).summary == "200 · no finish_reason · f(), f()"
