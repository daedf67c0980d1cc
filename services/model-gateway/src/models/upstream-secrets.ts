/** Fills in what the document of models leaves out: keys from the environment or from files, and defaults. */
import { missingSecret, type ReadSecret } from '@mandate/runtime/secret-source';
import type { ProtocolName, Upstream, WrittenUpstream } from './models-shape.ts';

const BASE_URLS: Readonly<Record<ProtocolName, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
};

const AUTH = { openai: 'bearer', anthropic: 'x-api-key' } as const;

/** Visible ASCII characters, so that the key can be sent in a header. */
const SENDABLE = /^[!-~]+$/;

/** @param say reports what is wrong with the key. The message never contains the key */
export function filledUpstream(
  name: string,
  { apiKey: source, auth, baseUrl, provider = name, ...written }: WrittenUpstream,
  readSecret: ReadSecret,
  say: (message: string) => void,
): Upstream {
  const apiKey = source === undefined ? null : readSecret(source);
  if (source !== undefined && apiKey === null) say(missingSecret(source));
  if (apiKey !== null && !SENDABLE.test(apiKey)) say('the key has characters that no header may have');
  return {
    ...written,
    ...{ name, provider, apiKey },
    baseUrl: (baseUrl ?? BASE_URLS[written.protocol]).replace(/\/+$/, ''),
    auth: auth ?? (source === undefined ? 'none' : AUTH[written.protocol]),
  };
}
