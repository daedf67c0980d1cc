/** Leaves secrets out of a manifest: values of the environment, of headers, of arguments and of addresses. */
import type { ImportFields } from './import-fields.ts';
import { quoted } from './import-notes.ts';

/** Matches values that name a variable: `$NAME`, `${NAME}`, `${NAME:-x}`, `${env:NAME}`, `${env.NAME}`, `${{ secrets.NAME }}`. */
const REFERENCE =
  /^\$(?:([A-Za-z_]\w*)|\{(?:env[:.])?([A-Za-z_]\w*)(?::-[^{}]*)?\}|\{\{\s*(?:secrets|env|vars)\.([A-Za-z_]\w*)\s*\}\})$/;

/** Matches `${input:name}`: the editor asks the person for the value. */
const ASKED = /^\$\{input:[^{}]{1,200}\}$/;

/**
 * Returns the values of a map as references to the environment. Any literal value is left out with a warning, because a
 * program cannot distinguish a secret from another value.
 */
export function asReferences(fields: ImportFields | null, prefix = ''): Record<string, string> {
  const values: [string, string][] = [];
  for (const name of Object.keys(fields?.value ?? {})) {
    const value = fields?.any(name);
    const [, plain, braced, secret] =
      typeof value === 'string' ? (REFERENCE.exec(value.slice(0, 1_000).trim()) ?? []) : [];
    const known = plain ?? braced ?? secret;
    const variable = known ?? variableFor(prefix + name);
    const isAsked = typeof value === 'string' && ASKED.test(value);
    if (known === undefined && !isAsked && value !== undefined && value !== '' && fields !== null) {
      const message = `the value of ${quoted(name)} is left out: set ${variable} in the environment of the runner`;
      fields.notes.warn('SECRET_IN_MANIFEST', fields.file, fields.at(name), message);
    }
    values.push([name, `\${env:${variable}}`]);
  }
  return Object.fromEntries(values);
}

/** Returns the name of an environment variable: `API_KEY` for `api-key`. */
function variableFor(name: string): string {
  const plain = name
    .slice(0, 100)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_');
  return /^[A-Z_]/.test(plain) ? plain : `V_${plain}`;
}

const SECRET_FLAG = /^--?[a-z-]*(?:key|token|secret|password|passwd|auth|credential|bearer)[a-z-]*$/i;
const SECRET_HEADER = /^(?:authorization|cookie|x-[a-z-]*(?:key|token))\s*:/i;
const SECRET_SHAPE =
  /^(?:sk-|ghp_|gho_|github_pat_|xox[abp]-|glpat-|AKIA|eyJ[A-Za-z0-9_-]{10,}\.)[A-Za-z0-9._-]{8,}$/;

/** Returns the arguments of a command, with each secret replaced by a reference to the environment. */
export function argumentsWithoutSecrets(fields: ImportFields, name: string, server: string): string[] {
  const written = (fields.list(name) ?? []).map((item) =>
    typeof item === 'string' ? item : JSON.stringify(item),
  );
  const leaveOut = (at: number, variable: string): string => {
    const message = `a secret is left out: set ${variable} in the environment of the runner`;
    fields.notes.warn('SECRET_IN_MANIFEST', fields.file, [...fields.at(name), at], message);
    return `\${env:${variable}}`;
  };
  return written.map((item, at) => {
    const { flag, value } = flagIn(item);
    const before = flagIn(written[at - 1] ?? '');
    if (REFERENCE.test((value ?? item).slice(0, 1_000))) return item;
    if (flag !== null && value !== null) return `${flag}=${leaveOut(at, variableFor(server + flag))}`;
    if (before.flag !== null && before.value === null && !item.startsWith('-'))
      return leaveOut(at, variableFor(server + before.flag));
    if (SECRET_SHAPE.test(item.slice(0, 10_000)) || SECRET_HEADER.test(item))
      return leaveOut(at, variableFor(`${server}_SECRET_${at}`));
    const [, variable] = /^([A-Za-z_]\w{0,99})=/.exec(item) ?? [];
    if (variable !== undefined && ['-e', '--env'].includes(written[at - 1] ?? ''))
      return `${variable}=${leaveOut(at, variableFor(variable))}`;
    return item;
  });
}

/** Returns the name of the option if an argument is an option for a secret value. `value` is null without a `=`. */
function flagIn(item: string): { flag: string | null; value: string | null } {
  const equals = item.indexOf('=');
  const flag = equals === -1 ? item : item.slice(0, equals);
  const isSecret = flag.length <= 100 && SECRET_FLAG.test(flag);
  return { flag: isSecret ? flag : null, value: isSecret && equals !== -1 ? item.slice(equals + 1) : null };
}

/** Returns an address without user, password and query. Null if the text is not a web address. */
export function addressWithoutSecrets(fields: ImportFields, name: string): string | null {
  const written = fields.text(name);
  if (written === null) return null;
  const [, scheme, rest] = /^(https?|wss?):\/\/([^\s\\\p{C}]{1,2000})$/iu.exec(written) ?? [];
  if (scheme === undefined || rest === undefined) {
    fields.notes.warn(
      'ADDRESS_NOT_TAKEN',
      fields.file,
      fields.at(name),
      `${quoted(written)} is no address of the web, and is not taken over`,
    );
    return null;
  }
  const [base = ''] = rest.split(/[?#]/, 1);
  const authorityEnd = base.indexOf('/');
  const authority = authorityEnd === -1 ? base : base.slice(0, authorityEnd);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const path = authorityEnd === -1 ? '' : base.slice(authorityEnd);
  const hasQuery = rest.slice(base.length).startsWith('?');
  if (host !== authority || hasQuery) {
    const message = 'user, password and query of the address are left out, because they may hold secrets';
    fields.notes.warn('SECRET_IN_MANIFEST', fields.file, fields.at(name), message);
  }
  return host === '' ? null : `${scheme.toLowerCase()}://${host}${path}`;
}
