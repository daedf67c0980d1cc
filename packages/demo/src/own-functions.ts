/**
 * Tools that are functions in the program of the agent. A proxy cannot see the call of a function. So the agent itself
 * asks the plane before each call.
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
