/** Finds literal secrets in places where a manifest should only name an environment variable. */

/** True if an environment variable probably holds a secret. `${env:NAME}` only says where the secret is. */
export function isSecret(name: string, value: string): boolean {
  if (value === '' || value.includes(REFERENCE)) return false;
  return SECRET_VALUE.test(value) || (isNameOfSecret(name) && !/^(true|false)$/i.test(value));
}

const REFERENCE = '${env:';

/** The last word of the name shows the kind of value: API_KEY is a key, and API_KEY_FILE is a file. */
function isNameOfSecret(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const last = words.at(-1) ?? '';
  if (last === 'key') return words.at(-2) !== 'public';
  return SECRET_WORD.test(last);
}

const SECRET_WORD =
  /^(tok|pat|pass|pwd|credentials?)$|(apikey|accesskey|secretkey|privatekey|token|secret|passw(or)?d|passphrase)$/;

/** Keys of well-known services, private keys, signed tokens, and addresses with a password. */
const SECRET_VALUE =
  /^(sk-|sk_live_|rk_live_|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|npm_|hf_|AIza|ya29\.)[\w-]{16,}|^(AKIA|ASIA)[A-Z0-9]{16}$|^eyJ[\w-]+\.eyJ[\w-]+\.|-----BEGIN [A-Z ]*PRIVATE KEY|^[a-z][a-z0-9+.-]*:\/\/[^\s/?#:@]*:[^\s/?#@]+@/i;
