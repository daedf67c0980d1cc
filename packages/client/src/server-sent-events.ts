/**
 * Reads server-sent events (the `text/event-stream` of the HTML standard), as far as a plane writes them: lines end with
 * a line feed, and each event carries its data on one line.
 */
/**
 * Yields the events that have data. Calls `onId` for every id, with or without data.
 *
 * @throws any error of `bytes`, for example if the connection is lost
 */
export async function* readEvents(
  bytes: AsyncIterable<Uint8Array>,
  onId: (id: string) => void = () => {},
): AsyncGenerator<{ event: string; data: string }> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = fieldsOf(block);
      const { id, event = 'message', data } = fields;
      // The id is reported after its event. A reader that is cut off between the two gets the event again, and never
      // misses it.
      if (data !== undefined) yield { event, data };
      if (id !== undefined) onId(id);
    }
  }
}

function fieldsOf(block: string): Partial<Record<'id' | 'event' | 'data', string>> {
  const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line) ?? []);
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}
