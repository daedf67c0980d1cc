/** The names that texts give to secrets: names of fields, variables, options, headers and parameters. */

/**
 * The last word of a secret's name. Words for passwords are in a separate list, because a password is shorter than
 * other secrets.
 */
const PASSWORDS =
  'passwords?|passwd|passphrase|passcode|pwd|pass_?word|(?<=[_-])pass|(?<![A-Za-z0-9])pw|' +
  'passwort|kennwort|contrase(?:ñ|n)a|mot de passe|wachtwoord|senha|has[łl]o|пароль|密码|密碼|パスワード|비밀번호';
const OTHERS = [
  'token',
  'credentials?',
  'jwt',
  '(?:api|access|secret|private|signing|encryption|decryption|master|account|storage|subscription|ssh|client|auth|consumer|webhook|admin|license|licence|shared|service|app|deploy|root|session|hmac|cipher|symmetric|functions?)[ _.-]?key',
  'secrets?',
  // In the name of a shell variable, the ending `_KEY` is enough. `isShellKey` says whether the case is right.
  '(?<shellKey>(?<=[A-Z0-9])_KEY)',
  'connection[ _.-]?string',
  'dsn',
  'cookies?',
  'authorization',
  '(?<=_)auth',
].join('|');
/** Endings that may follow the last word: `TOKEN_PROD`, `password2`. */
const ENDINGS =
  '(?:[_-]?(?:\\d{1,3}|base|value|prod|production|dev|test|staging|live|base64|b64|hex|string|str|raw|old|new|current|main|default|primary|secondary|plain|encoded))?';

export const SECRET_NAME = new RegExp(
  `(?:(?<password>${PASSWORDS})|${OTHERS})${ENDINGS}(?![A-Za-z0-9])`,
  'gi',
);

/**
 * True if the match of `shellKey` at `index` has upper case. The pattern ignores case, and Node 22 has no syntax for a
 * part of a pattern that does not.
 */
export const isShellKey = (text: string, index: number) =>
  /^[A-Z0-9]_KEY$/.test(text.slice(index - 1, index + '_KEY'.length));

/**
 * Matches names that are no secrets: tokens that page through lists, public keys, and the CORS header that only
 * allows credentials.
 */
const NOT_SECRET =
  /(?:page|pagination|continuation|continue|sync|cancel(?:lation)?|next|start|resume|public|publishable|primary|foreign|partition|sort|cache|idempotency|object|row|hash_?range|group|dedup(?:lication)?|routing|translation|i18n|registry|hot|host|short|arrow)[ _.-]?(?:token|key)$|allow[ _.-]?credentials$/i;

export const isHeaderOfSecrets = (name: string) => /(?:cookies?|authorization)$/i.test(name);

export const isPublicName = (name: string) => NOT_SECRET.test(name);
