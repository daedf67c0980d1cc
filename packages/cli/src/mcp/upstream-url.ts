/** The address of an MCP server over HTTP. */
import { WrongUse } from '../exit-codes.ts';

/** @throws WrongUse. The message does not have the address, which may contain a secret */
export function upstreamUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.hash === '') return url;
  throw new WrongUse(
    'this is no address of an MCP server',
    'Give --upstream with http or https, such as https://example.com/mcp.',
  );
}
