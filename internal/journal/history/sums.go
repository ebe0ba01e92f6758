package history

import "roam-mcp/internal/graph/fact"

// Sum is what calls of one agent did together, as far as their changes are done.
type Sum struct {
	Agent                 string
	Calls                 int
	Written, Changed      int // blocks that were made; pages and blocks that were changed by themselves
	BlocksGone, PagesGone int
	Rewritten             int // texts that Roam rewrote since what they refer to went or got another name
}

// add counts things with a role.
func (s *Sum) add(role fact.Role, isPage bool, n int) {
	switch role {
	case fact.RoleMade:
		if !isPage {
			s.Written += n
		}
	case fact.RoleTarget:
		s.Changed += n
	case fact.RoleGone:
		if isPage {
			s.PagesGone += n
		} else {
			s.BlocksGone += n
		}
	case fact.RoleReferrer:
		s.Rewritten += n
	case fact.RolePlace, fact.RoleImplied:
	}
}
