/**
 * Yields server-sent events as they arrive. An event is a map from field names to values: `event`, `id`, `data`. A
 * comment line has the field name ''.
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
