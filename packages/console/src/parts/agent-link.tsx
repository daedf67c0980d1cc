import { Link } from '@tanstack/react-router';

/** The name of an agent, as a link to its page. */
export function AgentLink({ id }: { id: string }) {
  return (
    <Link to="/agents/$agent" params={{ agent: id }}>
      {id}
    </Link>
  );
}
