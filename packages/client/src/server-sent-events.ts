/**
 * Reads server-sent events (`text/event-stream` of the HTML standard) in the form that a plane writes: lines end with
 * a line feed, and the data of an event is on one line.
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
      // The id is reported after its event. If a reader stops between event and id, it gets the event again and
      // misses none.
      if (data !== undefined) yield { event, data };
      if (id !== undefined) onId(id);
    }
  }
}

function fieldsOf(block: string): Partial<Record<'id' | 'event' | 'data', string>> {
  const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line) ?? []);
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}
