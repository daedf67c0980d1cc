/** The hosts of addresses, and the list of hosts that a gate allows. */

const ADDRESS = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(.*)$/s;
const HOST_AND_PORT = /^(\[[^[\]]*\]|[^:[\]]*)(?::\d*)?$/;
/**
 * Characters that programs read differently: in `good.example\@evil.example`, one program finds the first host, another
 * the second.
 */
const DOUBTFUL = /[\s\\@%\p{C}\p{Z}]/u;

/** True if a text names a place outside the manifest's folder: with a scheme, or in the form `//host/path`. */
export function leadsOut(text: string): boolean {
  return /^(?:[A-Za-z][A-Za-z0-9+.-]*:|[\\/]{2})/.test(text);
}

/** Returns the host of an address as it is written, without its port. Null if there is none, or if it is doubtful. */
export function hostOf(address: string): string | null {
  const [, rest = ''] = ADDRESS.exec(address) ?? [];
  const [authority = ''] = rest.split(/[/?#]/, 1);
  if (DOUBTFUL.test(authority)) return null;
  const [, host = ''] = HOST_AND_PORT.exec(authority) ?? [];
  return host === '' ? null : host;
}

const ASCII_HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/;

/** Returns the host in lower case, as ASCII (IDNA) and without a dot at the end. Null if the text is not a host. */
function asciiHost(host: string): string | null {
  const hostname = URL.parse(`https://${host}/`)?.hostname ?? '';
  const plain = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return ASCII_HOST.test(plain) ? plain : null;
}

/**
 * Returns a function that says whether the host of an address is allowed. An address without a host never is.
 *
 * @param domains hosts, or `*.` and a host for every name below it
 * @param isStrict false: hosts are compared character by character
 */
export function allowedHosts(domains: readonly string[], isStrict: boolean): (address: string) => boolean {
  const form = isStrict ? asciiHost : (host: string) => host;
  const formsOf = (hosts: readonly string[]) => new Set(hosts.flatMap((host) => form(host) ?? []));
  const exact = formsOf(domains.filter((domain) => !domain.startsWith('*.')));
  const above = formsOf(domains.flatMap((domain) => (domain.startsWith('*.') ? [domain.slice(2)] : [])));
  return (address) => {
    const written = hostOf(address);
    const host = written === null ? null : form(written);
    return host !== null && (exact.has(host) || namesAbove(host).some((name) => above.has(name)));
  };
}

/** The maximum number of labels of a host that are read. A host in the DNS has at most 127. */
const MOST_LABELS = 128;

/** Returns the parent domains of a host: `corp.example` and `example` for `api.corp.example`. */
function namesAbove(host: string): readonly string[] {
  const names: string[] = [];
  for (
    let dot = host.indexOf('.', 1);
    dot !== -1 && names.length < MOST_LABELS;
    dot = host.indexOf('.', dot + 1)
  ) {
    names.push(host.slice(dot + 1));
  }
  return names;
}
