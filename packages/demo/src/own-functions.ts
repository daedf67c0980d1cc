/**
 * Tools that are functions of an agent's own program. No proxy stands in front of a function, so such an agent asks the
 * plane itself.
 */

const FUNCTIONS: Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => string>> = {
  'own.count_words': ({ text }) => `${String(text).split(/\s+/).length} words`,
  'own.add': ({ a, b }) => `${a} + ${b} = ${Number(a) + Number(b)}`,
};

export type OwnFunctions = {
  call(name: string, args: Readonly<Record<string, unknown>>): string;
  /** How many times a function was really called. */
  calls(): number;
};

export function ownFunctions(): OwnFunctions {
  let calls = 0;
  return {
    call(name, args) {
      const run = FUNCTIONS[name];
      if (run === undefined) throw new Error(`the program has no function ${name}`);
      calls++;
      return run(args);
    },
    calls: () => calls,
  };
}
