import { type Service, serviceOf } from '@mandate/client';
import { ROUTE_RECORDS } from '@mandate/schemas';

/** A route of another service. */
export type ForwardedRoute = {
  method: string;
  /** The path as the router writes it, such as `/v1/agents/:id`. */
  url: string;
  service: Service;
  /** Whether the route stops agents. */
  kills: boolean;
};

/** Every route of the API, with the service that has it if it runs alone. */
export const FORWARDED_ROUTES: readonly ForwardedRoute[] = ROUTE_RECORDS.flatMap(({ quota, routes }) =>
  routes.flatMap((route) => {
    const [method = '', path = ''] = route.split(' ');
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
    return path.startsWith('/v1/')
      ? [{ method, url, service: serviceOf(path), kills: quota === 'kills' }]
      : [];
  }),
);
