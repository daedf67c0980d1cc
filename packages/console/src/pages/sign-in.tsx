import type { SignInWays } from '@mandate/console-service';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { ApiProblem, get, withQuery } from '../data/api.ts';
import { useParameters } from '../data/parameters.ts';
import { sessionQuery, signIn } from '../data/session.ts';
import { Problem } from '../parts/problem.tsx';

/** Accepts only an address of these pages, because a link must not lead to another server. */
const OWN_PATH = /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/;

export function SignIn() {
  const { back: wanted = '/', again, problem } = useParameters();
  const back = OWN_PATH.test(wanted) ? wanted : '/';
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [failed, setFailed] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [key, setKey] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const { data } = useQuery({ queryKey: ['signin'], queryFn: () => get<SignInWays>('/v1/signin') });
  const ofProvider = data?.ways.find(({ way }) => way === 'oidc');

  const enter = useCallback(
    async (given: string) => {
      setBusy(true);
      setFailed(null);
      try {
        queries.setQueryData(sessionQuery.queryKey, await signIn(given.trim()));
        await navigate({ href: back });
      } catch (error) {
        setFailed(error);
        setBusy(false);
        field.current?.select();
      }
    },
    [back, navigate, queries],
  );

  useEffect(() => {
    document.title = 'Sign in · Mandate';
    // A link may contain the key after a `#`. Browsers send this part to no server. It is removed from the address at
    // once.
    const carried = new URLSearchParams(location.hash.slice(1)).get('key');
    if (carried === null) return;
    history.replaceState(null, '', location.pathname + location.search);
    void enter(carried);
  }, [enter]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (key.trim() !== '' && !isBusy) void enter(key);
  }

  return (
    <main style={{ maxWidth: '30rem', margin: '12vh auto 0', padding: '0 1rem' }} className="stack">
      <h1>Sign in to Mandate</h1>
      {!isSecureContext && (
        <div role="alert" className="panel">
          This browser keeps no sign-in over an open connection. Use TLS, or a tunnel to the machine of the
          plane, such as <code>ssh -L 7420:127.0.0.1:7420</code>.
        </div>
      )}
      {problem !== undefined && failed === null && <Problem error={problemOf(problem)} />}
      {again !== undefined && <p>This needs a sign-in of the last ten minutes.</p>}
      {ofProvider?.href != null && (
        // This is a link and not a form: the security policy lets a form go only to this server.
        <a className="button" href={withQuery(ofProvider.href, { back, again: again !== undefined })}>
          {ofProvider.label}
        </a>
      )}
      <form className="stack" onSubmit={submit}>
        <label>
          API key
          <input
            ref={field}
            type="password"
            autoComplete="current-password"
            spellCheck={false}
            placeholder="sk-mdt_…"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
        {failed !== null && <Problem error={failed} />}
        <div className="row">
          <button type="submit" className="primary" aria-disabled={isBusy}>
            {isBusy ? 'Signing in …' : 'Sign in'}
          </button>
        </div>
      </form>
      <p className="quiet">
        The first start of a plane prints keys. <code>mandate keys</code> issues more. No script of this page
        can read the key afterwards, and revoking it ends the session.
      </p>
    </main>
  );
}

/** The meaning of the codes of a sign-in through an identity provider. The address contains only the code. */
const PROBLEMS: Readonly<Record<string, readonly [message: string, remedy: string]>> = {
  SIGN_IN_NOT_ALLOWED: [
    'no rule lets you in',
    'Ask an operator of the plane for a rule, or for a group at the identity provider.',
  ],
  SIGN_IN_EXPIRED: [
    'the sign-in took more than ten minutes, or began at another address',
    'Sign in again, at the address that the operator of the plane gives.',
  ],
  SIGN_IN_MISMATCH: ['this browser began another sign-in after it, or did not begin it', 'Sign in again.'],
  SIGN_IN_DENIED: ['the identity provider did not sign you in', 'Sign in again.'],
  SIGN_IN_NOT_RECENT: [
    'the identity provider does not say that you gave your password just now',
    'Sign in again, and give your password.',
  ],
  PROVIDER_UNAVAILABLE: ['the identity provider does not answer', 'Try again in a moment.'],
  SIGN_IN_BUSY: ['too many people sign in at this moment', 'Try again in a moment.'],
  TENANT_CLOSED: ['the tenant is closed', 'Ask an operator of the plane to open it again.'],
};

function problemOf(code: string): ApiProblem {
  const [message, remedy] = (Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code] : undefined) ?? [
    'the sign-in did not succeed',
    'Sign in again. If it stays so, ask the operator of the plane: the log has the reason.',
  ];
  return new ApiProblem(401, /^[A-Z_]{1,50}$/.test(code) ? code : 'SIGN_IN_INVALID', message, remedy);
}
