/** A long answer as a stream of bytes, with the trailers that `fetch` does not give. Needs Node: browsers do not load this file. */
import type { IncomingMessage, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** A long answer. `trailers` returns the trailers after all `bytes` have arrived. */
export type Download = { bytes: Readable; trailers(): Readonly<Record<string, string | undefined>> };

/** @throws any error of `node:http` while connecting */
export async function requestDownload(
  target: URL,
  options: RequestOptions,
): Promise<{ status: number; download: Download; text(): Promise<string> }> {
  const { request } = target.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(target, options, resolve).on('error', reject).end();
  });
  return {
    status: answer.statusCode ?? 0,
    download: { bytes: answer, trailers: () => answer.trailers },
    text: () => text(answer),
  };
}
