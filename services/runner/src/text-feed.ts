/**
 * The text of agents while it arrives, for streams of this process. The text is not on the log: a stream that begins
 * later gets the whole answer with the event of its call.
 */
export type StreamedText = { tenant: string; runId: string; step: string; text: string };

export class TextFeed {
  readonly #listeners = new Set<(text: StreamedText) => void>();

  listen(listener: (text: StreamedText) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  send(text: StreamedText): void {
    for (const listener of this.#listeners) listener(text);
  }
}
