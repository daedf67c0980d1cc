export type Span = { readonly start: number; readonly end: number };

/** The parts of a text that entities use already. Another entity cannot use them. */
export class TakenSpans {
  readonly #spans: Span[] = [];

  isFree({ start, end }: Span): boolean {
    return this.#spans.every((taken) => end <= taken.start || start >= taken.end);
  }

  take(span: Span): void {
    this.#spans.push(span);
  }

  /** Returns the text from a place to its end. A blank replaces each taken part. */
  restFrom(text: string, from: number): string {
    let rest = '';
    let at = from;
    for (const { start, end } of this.#spans.toSorted((a, b) => a.start - b.start)) {
      if (end <= at) continue;
      rest += `${text.slice(at, Math.max(start, at))} `;
      at = end;
    }
    return rest + text.slice(at);
  }
}
