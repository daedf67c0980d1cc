/**
 * Returns the path if it leads to a page of this server, and `/` otherwise. Browsers remove tabs and line ends from
 * an address, and read a backslash as a slash. So only visible ASCII characters are accepted, without a backslash.
 */
export function ownPath(path: string | undefined): string {
  return path !== undefined && OWN_PATH.test(path) ? path : '/';
}

/** A longer path would make a cookie that browsers refuse. */
const OWN_PATH = /^\/(?!\/)[\x21-\x5b\x5d-\x7e]{0,800}$/;
