/** Where a document says that a secret is: in an environment variable, or in a file. It never contains the secret. */
import { z } from 'zod';

export const secretSource = z.union([
  z.strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable') }),
  z.strictObject({ file: z.string().min(1).max(2_000) }),
]);
export type SecretSource = z.output<typeof secretSource>;

/** Returns the secret. Null if there is none. */
export type ReadSecret = (source: SecretSource) => string | null;

/** @param readText reads a file, as a followed document reads the files that belong to it */
export function secretReader(
  env: Readonly<Record<string, string | undefined>>,
  readText: (path: string) => string,
): ReadSecret {
  return (source) => {
    if ('env' in source) return env[source.env] || null;
    try {
      return readText(source.file).trim() || null;
    } catch {
      return null;
    }
  };
}

/** Says that there is no secret, for the person who wrote the document. */
export function missingSecret(source: SecretSource): string {
  return 'env' in source
    ? `the environment has no ${source.env}: set it`
    : `the file ${source.file} cannot be read, or is empty`;
}
