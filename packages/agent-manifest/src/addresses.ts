/** Addresses of tools. */

const URI = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.+)$/s;

export function isUri(text: string): boolean {
  return URI.test(text);
}

/**
 * Returns the same text for two spellings of one address. The letter case of the scheme and a slash at the end do not
 * count.
 */
export function sameAddress(uri: string): string {
  const [, scheme = '', rest = ''] = URI.exec(uri) ?? [];
  return `${scheme.toLowerCase()}://${withoutLast(rest, '/')}`;
}

/**
 * Returns Mandate's name for a tool that has only an address: the fragment of the address, otherwise its host and path.
 */
export function nameOfRemoteTool(uri: string): string {
  const [, , rest = ''] = URI.exec(uri) ?? [];
  const [address = '', ...fragments] = rest.split('#');
  const fragment = fragments.join('#');
  const [hostAndPath = ''] = address.split('?', 1);
  return (fragment === '' ? withoutLast(hostAndPath, '/') : fragment).replaceAll(/[^A-Za-z0-9._-]/g, '.');
}

function withoutLast(text: string, last: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === last) end -= 1;
  return text.slice(0, end);
}
