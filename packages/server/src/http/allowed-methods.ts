import type { HttpServer } from './http-server-type.ts';

/** Finds the methods that exist at a path, so that a wrong method gets a different answer than a wrong path. */
export type AllowedMethods = { at(path: string): string[] };

/** Records the routes when they are declared. The look-up runs only if no route matched, so it may be slow. */
export function trackAllowedMethods(server: HttpServer): AllowedMethods {
  const routes: { segments: string[]; methods: string[] }[] = [];
  server.addHook('onRoute', ({ url, method }) => {
    // This route only answers preflights, so it does not count as a method of a path.
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
