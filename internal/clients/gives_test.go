package clients

import (
	"strings"
	"testing"
)

func TestGives(t *testing.T) {
	world := World{Reaches: func(graph string) bool { return strings.EqualFold(graph, "Work") || graph == "Home" }}
	for name, tc := range map[string]struct {
		args   string // with | between
		world  World
		serves bool
		want   string
		other  string
	}{
		"gives every graph":                          {"serve", world, true, "every enabled graph", ""},
		"gives the graphs that are named":            {"serve|--graph|Work|--graph=Home", world, true, "Work and Home", ""},
		"finds names without regard to case":         {"serve|--graph|work", world, true, "work", ""},
		"names a graph that is gone":                 {"serve|--graph|Work,Old", world, true, `Work, graph "Old" is gone`, ""},
		"gives no graph that is disabled":            {"serve|--graph|Off", world, true, `graph "Off" is gone`, ""},
		"believes names where no graph is known":     {"serve|--graph|Old", World{}, true, "Old", ""},
		"says that nothing is written":               {"serve|--read-only", world, true, "every enabled graph, writes off", ""},
		"takes a flag that is set to false at that":  {"serve|--read-only=false", world, true, "every enabled graph", ""},
		"names the profile":                          {"serve|--profile|notes", world, true, "every enabled graph, profile notes", ""},
		"says that it is the sandbox":                {"--sandbox|serve", world, true, "sandbox only", ""},
		"says nothing of it in the sandbox":          {"serve|--sandbox", World{Sandbox: true}, true, "every enabled graph", ""},
		"takes a value for no command":               {"--config|serve|remove|Work", world, false, "", ""},
		"serves with a configuration":                {"--config|/x|serve", world, true, "every enabled graph", ""},
		"does not serve with another command":        {"remove|serve|--yes", world, false, "", ""},
		"does not serve without a command":           {"--sandbox", world, false, "", ""},
		"keeps what install does not write":          {"serve|--log-file|/etc/x|more|--http=:80", world, true, "every enabled graph", "--log-file /etc/x more --http=:80"},
		"takes the value of a flag for no other one": {"serve|--log-file|--graph|Old", world, true, "every enabled graph", "--log-file --graph Old"},
	} {
		t.Run(name, func(t *testing.T) {
			gives, serves := givenBy(strings.Split(tc.args, "|"))
			said := ""
			if serves {
				said = gives.In(tc.world)
			}
			if serves != tc.serves || said != tc.want || strings.Join(gives.Other, " ") != tc.other {
				t.Errorf("serves %v, %q, other %q", serves, said, gives.Other)
			}
		})
	}
}
