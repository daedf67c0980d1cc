/**
 * Every page and its address. services/console/src/pages.ts serves the same addresses, and answers all others with
 * status 404.
 */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { ApiProblem } from './data/api.ts';
import { beginPage } from './data/reads.ts';
import { sessionQuery } from './data/session.ts';
import { Problem } from './parts/problem.tsx';
import { Shell } from './shell.tsx';

type Search = Readonly<Record<string, string | undefined>>;

/** The parameters of an address as texts. Each page reads those that it knows. */
function textsOf(search: Record<string, unknown>): Search {
  return Object.fromEntries(
    Object.entries(search)
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
      .map(([name, value]) => [name, String(value)]),
  );
}

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Outlet,
  validateSearch: textsOf,
  beforeLoad: ({ cause }) => {
    if (cause === 'enter') beginPage();
  },
  errorComponent: ({ error }) => <Problem error={error} />,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./pages/sign-in.tsx'), 'SignIn'),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queries.ensureQueryData(sessionQuery);
    } catch (error) {
      if ((error as ApiProblem).status !== 401) throw error;
      throw redirect({ to: '/sign-in', search: { back: location.href } });
    }
  },
});

const below = <Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => signedIn, path, component, onEnter: beginPage });

const tree = root.addChildren([
  signIn,
  signedIn.addChildren([
    below(
      '/',
      lazyRouteComponent(() => import('./pages/now.tsx'), 'Now'),
    ),
    below(
      '/agents',
      lazyRouteComponent(() => import('./pages/agents.tsx'), 'Agents'),
    ),
    below(
      '/agents/$agent',
      lazyRouteComponent(() => import('./pages/agent.tsx'), 'Agent'),
    ),
    below(
      '/decisions',
      lazyRouteComponent(() => import('./pages/decisions.tsx'), 'Decisions'),
    ),
    below(
      '/decisions/$id',
      lazyRouteComponent(() => import('./pages/decision.tsx'), 'Decision'),
    ),
    below(
      '/approvals',
      lazyRouteComponent(() => import('./pages/approvals.tsx'), 'Approvals'),
    ),
    below(
      '/approvals/$id',
      lazyRouteComponent(() => import('./pages/approval.tsx'), 'Approval'),
    ),
    below(
      '/spend',
      lazyRouteComponent(() => import('./pages/spend.tsx'), 'Spend'),
    ),
    below(
      '/policies',
      lazyRouteComponent(() => import('./pages/policies.tsx'), 'Policies'),
    ),
    below(
      '/policies/$id',
      lazyRouteComponent(() => import('./pages/policy.tsx'), 'Policy'),
    ),
    below(
      '/what-if',
      lazyRouteComponent(() => import('./pages/what-if.tsx'), 'WhatIf'),
    ),
    below(
      '/changes',
      lazyRouteComponent(() => import('./pages/changes.tsx'), 'Changes'),
    ),
    below(
      '/changes/$id',
      lazyRouteComponent(() => import('./pages/change.tsx'), 'Change'),
    ),
    below(
      '/system',
      lazyRouteComponent(() => import('./pages/system.tsx'), 'System'),
    ),
    below(
      '$',
      lazyRouteComponent(() => import('./pages/missing.tsx'), 'NoPage'),
    ),
  ]),
]);

export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
    // Code is loaded early, but data never, because the audit records each read.
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    // Values of the address stay as people write them: in `?agent=007`, the value is a text.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
      const query = new URLSearchParams(given as [string, string][]).toString();
      return query === '' ? '' : `?${query}`;
    },
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
