/** Limits the answers of a server over HTTP, because the client keeps a whole answer in memory. */

/** Like `fetch`, but reading a body fails after this many bytes. */
export function boundedFetch(mostBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    let bytes = 0;
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        bytes += piece.byteLength;
        if (bytes > mostBytes) controller.error(new Error(`the answer has more than ${mostBytes} bytes`));
        else controller.enqueue(piece);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counting), { status, statusText, headers });
  };
}
