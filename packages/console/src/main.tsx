import './tokens.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { ApiProblem } from './data/api.ts';
import { leave } from './data/session.ts';
import { makeRouter } from './routes.tsx';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The audit records each read. So no data is read again only because time has passed.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (count, error) => (error as ApiProblem).status === 503 && count < 2,
    },
  },
});
const router = makeRouter(queries);
// The code of the page loads while the session is read. The page itself handles a failure.
for (const route of router.getMatchedRoutes(location.pathname)[0])
  router.loadRouteChunk(route)?.catch(() => {});
queries.getQueryCache().subscribe(({ type, query }) => {
  const error = query.state.error as ApiProblem | null;
  if (type !== 'updated' || error?.status !== 401) return;
  // The key was revoked, or the session has ended.
  if (location.pathname !== '/sign-in') leave(location.pathname + location.search);
});

const theme = localStorage.getItem('mandate.theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
}
