/**
 * Returns the command line that prints the same data as a page: `mandate decisions list --agent bot-1`.
 *
 * @param words the command, and its arguments as `quoted` returns them
 * @param options values by the name of the option. Undefined and false are left out; true is an option without a value;
 * a list repeats the option
 */
export function command(
  words: string,
  options: Readonly<Record<string, string | boolean | readonly string[] | undefined>> = {},
): string {
  const given = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    if (value === true) return [`--${name}`];
    return [value].flat().map((one) => `--${name} ${quoted(one)}`);
  });
  return ['mandate', words, ...given].join(' ');
}

/** Returns the text as one word of a shell. */
export function quoted(text: string): string {
  return /^[A-Za-z0-9_./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
