/** Limits the answer of a provider, so that a faulty provider cannot fill the memory. */

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The maximum size of an answer. An answer of 700 tokens has a few kilobytes. */
const MOST_BYTES = 1 << 18;

/** Returns the `fetch` of the client, or the global one, with a limit on the size of an answer. */
export function boundedFetch(client: object): Fetch {
  const own = 'fetch' in client && typeof client.fetch === 'function' ? client.fetch : null;
  return async (input, init) => {
    const response: unknown = own === null ? await fetch(input, init) : await own.call(client, input, init);
    if (!(response instanceof Response)) throw new TypeError('The `fetch` of the client gave no response.');
    return response.body === null ? response : withBody(response, response.body.pipeThrough(limit()));
  };
}

function limit(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(piece, controller) {
      bytes += piece.byteLength;
      if (bytes > MOST_BYTES)
        controller.error(new RangeError(`The answer is larger than ${MOST_BYTES} bytes.`));
      else controller.enqueue(piece);
    },
  });
}

function withBody(
  { status, statusText, headers, url }: Response,
  body: ReadableStream<Uint8Array>,
): Response {
  const bounded = new Response(body, { status, statusText, headers });
  Object.defineProperty(bounded, 'url', { value: url });
  return bounded;
}
