/**
 * A cookie that only its own server can write and read, and that the browser sends to no other server. It is sealed
 * with AES-256-GCM. The key is made from the secret of the data folder and the purpose of the cookie, so no cookie
 * passes for another one.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { z } from 'zod';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A sealed cookie is shorter than this. Longer cookies are not opened. */
const LONGEST_COOKIE = 2_048;

export class SealedCookie<Content> {
  readonly #name: string;
  readonly #attributes: string;
  readonly #content: z.ZodType<Content>;
  readonly #key: Buffer;

  /**
   * @param what.name begins with `__Host-`, so that no other server of the domain can set the cookie
   * @param what.sameSite `Strict`: no request that another site begins has the cookie. `Lax`: only a link has it
   * @param what.purpose a text that no other use of the secret has
   * @param secret the secret of the data folder
   */
  constructor(
    what: {
      name: `__Host-${string}`;
      sameSite: 'Strict' | 'Lax';
      purpose: string;
      content: z.ZodType<Content>;
    },
    secret: string,
  ) {
    this.#name = what.name;
    this.#attributes = `Path=/; Secure; HttpOnly; SameSite=${what.sameSite}`;
    this.#content = what.content;
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', what.purpose, 32));
  }

  /** The header `set-cookie` that removes the cookie from the browser. */
  get removed(): string {
    return `${this.#name}=; ${this.#attributes}; Max-Age=0`;
  }

  /** Returns the header `set-cookie`. */
  write(content: Content, lastsMs: number): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce);
    const sealed = [nonce, cipher.update(JSON.stringify(content)), cipher.final(), cipher.getAuthTag()];
    const lasts = Math.ceil(lastsMs / 1_000);
    return `${this.#name}=${Buffer.concat(sealed).toString('base64url')}; ${this.#attributes}; Max-Age=${lasts}`;
  }

  /** Returns what the header `cookie` contains. Null if there is none, or if this server did not write it. */
  read(cookies: string | undefined): Content | null {
    const sealed = this.#sealedIn(cookies ?? '');
    return sealed === null ? null : this.#open(Buffer.from(sealed, 'base64url'));
  }

  /** Null if no cookie has the name, or several have it: then one of them is not ours. */
  #sealedIn(cookies: string): string | null {
    const found = cookies.split(';').flatMap((cookie) => {
      const [name, value = ''] = cookie.trim().split('=', 2);
      return name === this.#name ? [value] : [];
    });
    const [value] = found;
    return found.length === 1 && value !== undefined && value.length < LONGEST_COOKIE ? value : null;
  }

  #open(bytes: Buffer): Content | null {
    if (bytes.length <= NONCE_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const text = Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)),
        decipher.final(),
      ]);
      return this.#content.parse(JSON.parse(text.toString()));
    } catch {
      return null;
    }
  }
}
