/**
 * Finds credentials: tokens with a vendor's mark (secrets/token-forms.ts), values after an HTTP scheme, private keys,
 * credentials in URLs, and values beside the name of a secret. Each finder returns the whole value. If two finders
 * find the same value, ./find-pieces.ts merges the pieces.
 */
import type { Finder, Span } from './piece.ts';
import { findAssignedSecrets } from './secrets/assigned-secrets.ts';
import { findAuthorizations } from './secrets/authorization.ts';
import { findCredentialsInUrls } from './secrets/credentials-in-urls.ts';
import { findKnownTokens } from './secrets/known-tokens.ts';
import { findOptionsOfCommands } from './secrets/options-of-commands.ts';
import { findPrivateKeys } from './secrets/private-keys.ts';

/**
 * `hint`: a text that does not match the hint cannot contain a match, so `find` need not run. Most texts contain no
 * secret, so most time is spent on hints.
 */
const FINDERS: readonly { hint: RegExp; find: Finder }[] = [
  { hint: /[\w.+/=~:@$-]{12}/, find: findKnownTokens },
  { hint: /eyJ|[MNO][\w-]{22}|b(?:earer|asic) /i, find: findAuthorizations },
  { hint: /:\/\/|jdbc:|[?&;](?:sig|x-)/i, find: findCredentialsInUrls },
  { hint: / (?:-[uap]|--(?:proxy-)?user[ =])/, find: findOptionsOfCommands },
  { hint: /PRIVATE KEY|PuTTY-|Private-MAC/, find: findPrivateKeys },
  {
    hint: /pass|pwd?|secret|token|cred|jwt|key|dsn|cookie|auth|connec|kennwort|contrase|wachtwoord|senha|has[łl]o|пароль|密|パスワード|비밀번호/i,
    find: findAssignedSecrets,
  },
];

export const findSecrets: Finder = (text) => {
  const found: Span[] = [];
  for (const { hint, find } of FINDERS) if (hint.test(text)) found.push(...find(text));
  return found;
};
