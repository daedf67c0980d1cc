"""Calls models through the gateway, and prints what came back as JSON.

With the packages `openai` and `anthropic` it uses the SDKs of the providers. Without them it uses only the library of
Python. Arguments: the URL of the plane, the key of an agent that may call, and the key of an agent that may not.
"""
import json
import sys
import urllib.error
import urllib.request

URL, KEY, REFUSED_KEY = sys.argv[1:]
MESSAGES = [{"role": "user", "content": "Say hello."}]
OPENAI = {"model": "gpt-4o-mini", "messages": MESSAGES, "max_completion_tokens": 100}
ANTHROPIC = {"model": "claude-of-tests", "messages": MESSAGES, "max_tokens": 100}


def code_in(message):
    return next((code for code in ["MODEL_NOT_ALLOWED"] if code in message), message)


def openai_sdk():
    import openai

    def client(key):
        return openai.OpenAI(api_key=key, base_url=f"{URL}/openai/v1")

    create = client(KEY).chat.completions.create
    chunks = list(create(**OPENAI, stream=True))
    try:
        client(REFUSED_KEY).chat.completions.create(**OPENAI)
        refused = None
    except openai.APIStatusError as error:
        refused = [error.status_code, code_in(str(error))]
    return {
        "client": f"openai {openai.__version__}",
        "whole": create(**OPENAI).choices[0].message.content,
        "streamed": "".join(chunk.choices[0].delta.content or "" for chunk in chunks),
        "refused": refused,
    }


def anthropic_sdk():
    import anthropic

    def client(key):
        return anthropic.Anthropic(api_key=key, base_url=f"{URL}/anthropic")

    messages = client(KEY).messages
    with messages.stream(**ANTHROPIC) as stream:
        streamed = "".join(stream.text_stream)
    try:
        client(REFUSED_KEY).messages.create(**ANTHROPIC)
        refused = None
    except anthropic.APIStatusError as error:
        refused = [error.status_code, code_in(str(error))]
    return {
        "client": f"anthropic {anthropic.__version__}",
        "whole": messages.create(**ANTHROPIC).content[0].text,
        "streamed": streamed,
        "refused": refused,
    }


def post(path, key, body):
    request = urllib.request.Request(
        URL + path,
        data=json.dumps(body).encode(),
        headers={"authorization": f"Bearer {key}", "content-type": "application/json"},
    )
    return urllib.request.urlopen(request, timeout=30)


def plain(path, body, text_of, delta_of):
    with post(path, KEY, body) as answer:
        whole = text_of(json.load(answer))
    with post(path, KEY, {**body, "stream": True}) as answer:
        lines = [line.decode().strip() for line in answer]
    events = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    try:
        post(path, REFUSED_KEY, body)
        refused = None
    except urllib.error.HTTPError as error:
        refused = [error.code, code_in(json.load(error)["error"]["message"])]
    streamed = "".join(delta_of(event) or "" for event in events)
    return {"client": "urllib", "whole": whole, "streamed": streamed, "refused": refused}


def openai_plain():
    return plain(
        "/openai/v1/chat/completions",
        OPENAI,
        lambda answer: answer["choices"][0]["message"]["content"],
        lambda event: event["choices"][0]["delta"].get("content"),
    )


def anthropic_plain():
    return plain(
        "/anthropic/v1/messages",
        ANTHROPIC,
        lambda answer: answer["content"][0]["text"],
        lambda event: event.get("delta", {}).get("text"),
    )


def first_that_is_installed(*ways):
    for way in ways[:-1]:
        try:
            return way()
        except ModuleNotFoundError:
            pass
    return ways[-1]()


print(
    json.dumps(
        {
            "openai": first_that_is_installed(openai_sdk, openai_plain),
            "anthropic": first_that_is_installed(anthropic_sdk, anthropic_plain),
        }
    )
)
