import { HttpProblem } from '@mandate/runtime';

type Compiled =
  | { ok: true }
  | { ok: false; faults: readonly { path: readonly (string | number)[]; message: string }[] };

/** Throws VALIDATION_FAILED, as for any other fault of the body: its shape was read, and what it means is checked here. */
export function mustCompile(compiled: Compiled): void {
  if (compiled.ok) return;
  const errors = compiled.faults.map(({ path, message }) => ({
    in: 'body',
    pointer: path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    detail: message,
  }));
  const [first] = errors;
  throw new HttpProblem(
    400,
    'VALIDATION_FAILED',
    `the body is not as described: ${first?.pointer}: ${first?.detail}`,
    {
      remedy: 'Correct every place listed under errors.',
      extension: { errors },
    },
  );
}
