/** The addresses of the pages, as routes. packages/console/src/routes.tsx names the page of each. */
export const PAGES = [
  '/',
  '/sign-in',
  '/agents',
  '/agents/:agent',
  '/decisions',
  '/decisions/:id',
  '/approvals',
  '/approvals/:id',
  '/spend',
  '/policies',
  '/policies/:id',
  '/what-if',
  '/changes',
  '/changes/:id',
  '/system',
] as const;
