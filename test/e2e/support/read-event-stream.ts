/**
 * Yields server-sent events as they arrive, as maps of their fields: `event`, `id`, `data`. A comment has the field
 * name ''.
 */
export async function* readEventStream({ body }: Response): AsyncGenerator<ReadonlyMap<string, string>> {
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      yield new Map(
        block
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
    }
  }
}
