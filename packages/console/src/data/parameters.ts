import { useSearch } from '@tanstack/react-router';

export type Parameters = Readonly<Record<string, string | undefined>>;

/** Returns the parameters of the address. */
export function useParameters(): Parameters {
  return useSearch({ strict: false });
}
