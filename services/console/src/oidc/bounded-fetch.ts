/** Asks the identity provider. An answer is bounded in size and time, and comes from a safe address. */
import type { CustomFetch } from 'openid-client';
import { isSafeUrl } from './safe-url.ts';

/** The documents of a provider have a few kilobytes. The token of a person in 1,000 groups has about 100. */
const MOST_BYTES = 1_048_576;

/** The provider gave no answer that can be used. Another try may succeed. */
export class ProviderAway extends Error {
  override readonly name = 'ProviderAway';
}

/** @param timeoutMs bounds the whole answer, body included */
export function boundedFetch(timeoutMs: number): CustomFetch {
  return async (url, { method, headers, body }) => {
    // The provider's own metadata names further addresses.
    if (!isSafeUrl(url)) throw new ProviderAway('the provider names an address without encryption');
    try {
      // A request has a form as its body, or none.
      const form = body instanceof URLSearchParams ? { body } : {};
      const signal = AbortSignal.timeout(timeoutMs);
      return await bounded(url, { method, headers, signal, ...form });
    } catch (cause) {
      throw cause instanceof ProviderAway
        ? cause
        : new ProviderAway('the provider gave no answer', { cause });
    }
  };
}

async function bounded(url: string, options: RequestInit): Promise<Response> {
  const { status, headers, body } = await fetch(url, { ...options, redirect: 'manual' });
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > MOST_BYTES)
      throw new ProviderAway(`an answer of the provider has more than ${MOST_BYTES} bytes`);
    pieces.push(piece);
  }
  if (status === 429 || status >= 500) throw new ProviderAway(`the provider answered with status ${status}`);
  return new Response(length === 0 ? null : Buffer.concat(pieces), { status, headers });
}
