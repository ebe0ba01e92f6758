package exchange

import "roam-mcp/localapi"

// Offers returns the events that a person can send in the present state, the
// likeliest first. A UseToken among them stands for one with a token in it.
func (m Machine) Offers() []Event {
	askAgain := AskAgain{AccessLevel: m.Request.AccessLevel}
	switch m.State {
	case Locating, Verifying:
		return []Event{Cancel{}}
	case Unreachable, Disabled:
		return []Event{Retry{}, OpenRoam{}}
	case Waiting:
		return []Event{OpenRoam{}, Cancel{}}
	case Busy:
		return []Event{Retry{}, OpenRoam{}, Cancel{}}
	case Rejected:
		offers := []Event{askAgain}
		if less := lower(m.Request.AccessLevel); less != "" {
			offers = append(offers, AskAgain{AccessLevel: less})
		}
		return append(offers, UseToken{})
	case Blocked, TimedOut, Failed, Cancelled:
		return []Event{askAgain, UseToken{}}
	case Granted:
	}
	return nil
}

// lower returns the next level below one that can be requested, "" for none.
func lower(level localapi.AccessLevel) localapi.AccessLevel {
	for _, l := range localapi.RequestableLevels() {
		if l.LowerThan(level) {
			return l
		}
	}
	return ""
}
