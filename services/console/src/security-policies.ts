/** What the pages of the console may load and run. The texts are header values (Content Security Policy, level 3). */

/**
 * The pages run only their own scripts, and ask only their own server. No text becomes a script or a style. A page
 * may start the one worker that the Trusted Types policy `mandate` lets through.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types mandate',
].join('; ');

/**
 * The worker compiles the schemas of a policy to functions, so it may evaluate text. It has no page and no cookie,
 * and may ask no server.
 */
const WORKER_POLICY = "default-src 'none'; script-src 'self' 'unsafe-eval'";

/** Returns the policy of a file in `assets`. Null: the policy of the pages. */
export function policyOfAsset(path: string): string | null {
  return /[/\\]policy-worker-[^/\\]+\.js(?:\.br|\.gz)?$/.test(path) ? WORKER_POLICY : null;
}
