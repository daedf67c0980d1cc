/** Listens to a stream of kills as an SDK would. */
type KillEvent = { event: string; data: Record<string, unknown> };

/** @returns what came so far, in order, and how to leave */
export async function listenToKills(url: string, key: string) {
  const leaving = new AbortController();
  const response = await fetch(new URL('/v1/kills/stream', url), {
    headers: { authorization: `Bearer ${key}` },
    signal: leaving.signal,
  });
  const events: KillEvent[] = [];
  const ended = read(response, events).catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
  });
  return { status: response.status, events, ended, leave: () => leaving.abort() };
}

async function read({ body }: Response, events: KillEvent[]): Promise<void> {
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      events.push({ event, data: JSON.parse(data) });
    }
  }
}
