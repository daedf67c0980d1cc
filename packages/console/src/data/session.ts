/** Who is signed in, and what they may do. */

import type { SignedIn } from '@mandate/console-service';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { type ApiProblem, get, send } from './api.ts';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => get<SignedIn>('/v1/session'),
  staleTime: Number.POSITIVE_INFINITY,
  retry: (count, error) => (error as ApiProblem).status === 0 && count < 3,
});

export function useSession(): SignedIn {
  return useSuspenseQuery(sessionQuery).data;
}

type Scope = SignedIn['scopes'][number];

/** Returns why the person may not do this, as the text of a disabled button. Null if they may. */
export function useWhyNot(...accepted: Scope[]): string | null {
  const { scopes, withheld, role, name } = useSession();
  if (accepted.some((scope) => scopes.includes(scope))) return null;
  if (accepted.some((scope) => withheld.includes(scope))) return 'The tenant is closed.';
  return `This needs the scope ${accepted.join(' or ')}. The key «${name}» has ${
    role === null ? 'only other scopes' : `the role ${role}`
  }.`;
}

export async function signIn(key: string): Promise<SignedIn> {
  return (await send<SignedIn>('POST', '/v1/session', { key })).body;
}

export async function signOut(): Promise<void> {
  // If the session has already ended, no sign-out is needed.
  await send('DELETE', '/v1/session').catch(() => null);
  new BroadcastChannel(CHANNEL).postMessage(null);
  leave();
}

/**
 * On this channel, the tabs tell each other who is signed in: the id of the key, or null. All tabs share the cookie.
 */
const CHANNEL = 'mandate session';

/** Leaves the page as soon as another tab signs out, or signs in with another key. */
export function followSession(keyId: string): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<string | null>) => {
    if (data === null) leave();
    else if (data !== keyId) location.reload();
  };
  channel.postMessage(keyId);
}

/**
 * Opens the sign-in as a new document, so that nothing of the session stays in memory.
 *
 * @param back the address to return to after the sign-in
 */
export function leave(back?: string): void {
  location.replace(back === undefined ? '/sign-in' : `/sign-in?${new URLSearchParams({ back })}`);
}
