/** A file of the repository that is made from the sources: `path` from the root, `make` gives its whole text. */
export type GeneratedFile = { path: string; make(): string | Promise<string> };

/** JSON as every generated file has it: two blanks, the order of the source, a line break at the end. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
