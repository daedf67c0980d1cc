import type { HttpServer } from './http-server-type.ts';

/** Tells which methods exist at a path, so that a wrong method gets another answer than a wrong path. */
export type AllowedMethods = { at(path: string): string[] };

/** Watches the routes as they are declared. Only asked when no route matched, so it may take its time. */
export function trackAllowedMethods(server: HttpServer): AllowedMethods {
  const routes: { segments: string[]; methods: string[] }[] = [];
  server.addHook('onRoute', ({ url, method }) => {
    // Where preflights are answered: it says nothing about a path.
    if (url === '*') return;
    routes.push({ segments: url.split('/'), methods: [method].flat() });
  });
  return {
    at: (path) => {
      const segments = path.split('/');
      const found = routes
        .filter((route) => fits(route.segments, segments))
        .flatMap((route) => route.methods);
      return [...new Set(found)].sort();
    },
  };
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.at(-1) === '*') return fits(pattern.slice(0, -1), segments.slice(0, pattern.length - 1));
  return (
    pattern.length === segments.length &&
    pattern.every((piece, index) => piece === segments[index] || piece.startsWith(':'))
  );
}
