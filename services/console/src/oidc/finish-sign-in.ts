/** Decides whether a person who came back from the identity provider is signed in, and with which key. */
import type { Logger } from '@mandate/runtime';
import { HttpProblem } from '@mandate/server';
import { ProviderAway } from './bounded-fetch.ts';
import { type Claims, firstRule } from './first-rule.ts';
import type { IdentityProvider, Person, Proof } from './identity-provider.ts';
import type { PendingSignIn } from './pending-sign-in.ts';
import type { PersonKeys } from './person-keys.ts';

/** The clocks of two machines may differ by this. */
const SKEW_MS = 30_000;
/** OpenID Connect Core 1.0, section 2: at most 255 ASCII characters. */
const SUBJECT = /^[\x21-\x7e][\x20-\x7e]{0,254}$/;
const LONGEST_NAME = 200;

export type FinishedSignIn = { key: string; person: string; provenMs: number | null };

/**
 * @param callback the address to which the provider sent the browser, with its query
 * @throws HttpProblem, MandateError
 */
export async function finishSignIn(
  provider: IdentityProvider,
  keys: Pick<PersonKeys, 'keyOf' | 'revoke'>,
  { callback, pending, log }: { callback: URL; pending: PendingSignIn; log: Pick<Logger, 'warn'> },
): Promise<FinishedSignIn> {
  const { person, claims, provenMs } = await proofOf(provider, callback, pending, log);
  if (!SUBJECT.test(person.sub)) throw notAccepted();
  if (pending.again && (provenMs === null || provenMs < pending.beganMs - SKEW_MS)) throw notProvenAgain();
  const rule = firstRule(provider.document, claims);
  if (rule === null) {
    log.warn({ ...person }, 'no rule of the document of the identity provider allows this person');
    await keys.revoke(person);
    throw notAllowed();
  }
  const key = await keys.keyOf(person, rule, nameOf(person, claims, provider.document.name));
  return { key, person: `${person.issuer} ${person.sub}`, provenMs };
}

async function proofOf(
  provider: IdentityProvider,
  callback: URL,
  pending: PendingSignIn,
  log: Pick<Logger, 'warn'>,
): Promise<Proof> {
  // A page of another site can send a browser here with a code of its own. Only the sign-in that this browser began
  // has this state.
  if (callback.searchParams.get('state') !== pending.state) throw foreignAnswer();
  try {
    return await provider.finish(callback, pending);
  } catch (error) {
    if (error instanceof ProviderAway) throw providerAway(error);
    log.warn(
      { issuer: provider.document.issuer, ...factsOf(error) },
      'the answer of the provider is refused',
    );
    throw callback.searchParams.has('error') ? denied() : notAccepted();
  }
}

/** The facts of an error for the log. The error itself may contain a code or a token. */
function factsOf(error: unknown): object {
  if (!(error instanceof Error)) return {};
  const { code, error: said } = error as Error & { code?: unknown; error?: unknown };
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  const facts = { code, said, message: error.message, cause };
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, fact]) =>
      typeof fact === 'string' ? [[name, fact.slice(0, 200)]] : [],
    ),
  );
}

/** Invisible characters could make the name look like another name. */
function nameOf({ sub }: Person, claims: Claims, claim: string): string {
  const given = Object.hasOwn(claims, claim) ? claims[claim] : null;
  const name =
    typeof given === 'string'
      ? given
          .normalize('NFC')
          .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
          .trim()
      : '';
  return (name || sub).slice(0, LONGEST_NAME).toWellFormed();
}

export function providerAway(cause: unknown): HttpProblem {
  return new HttpProblem(
    503,
    'PROVIDER_UNAVAILABLE',
    'the identity provider gives no answer that can be used',
    {
      remedy: 'Try again. If it stays so, ask the operator: the log has the reason.',
      cause,
    },
  );
}

function foreignAnswer(): HttpProblem {
  return new HttpProblem(401, 'SIGN_IN_MISMATCH', 'this browser did not begin this sign-in', {
    remedy: 'Sign in again, in one tab.',
  });
}

function denied(): HttpProblem {
  return new HttpProblem(401, 'SIGN_IN_DENIED', 'the identity provider did not sign the person in', {
    remedy: 'Sign in again, or ask the people who run the identity provider.',
  });
}

function notAccepted(): HttpProblem {
  return new HttpProblem(401, 'SIGN_IN_INVALID', 'the answer of the identity provider is not accepted', {
    remedy: 'Sign in again. If it stays so, ask the operator: the log has the reason.',
  });
}

function notProvenAgain(): HttpProblem {
  return new HttpProblem(
    401,
    'SIGN_IN_NOT_RECENT',
    'the identity provider does not say that the person proved just now who they are',
    { remedy: 'Sign in again, and let the provider ask for the password. It must send the claim auth_time.' },
  );
}

function notAllowed(): HttpProblem {
  return new HttpProblem(403, 'SIGN_IN_NOT_ALLOWED', 'no rule allows this person to sign in', {
    remedy: 'Ask an operator of the plane for a rule in oidc.yaml, or for a group at the identity provider.',
  });
}
