package outline

import (
	"context"

	"roam-mcp/assets"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// capability is what a tool does, by the skill's name for it.
type capability struct{ key, tool string }

// capabilities are the skill's, in its order.
func capabilities() []capability {
	return []capability{
		{"pages.list", "list_pages"},
		{"pages.read", "get_page_content"},
		{"pages.create", "create_page"},
		{"pages.update", "update_page"},
		{"pages.delete", "delete_page"},
		{"search.basic", "search"},
		{"blocks.read", "get_block"},
		{"blocks.create", "create_block"},
		{"blocks.update", "update_block"},
		{"blocks.delete", "delete_block"},
		{"blocks.move", "move_block"},
		{"datascript.query", "datascript_query"},
	}
}

// capabilityOf returns the capability that a tool is; empty where it is none.
func capabilityOf(tool string) string {
	for _, each := range capabilities() {
		if each.tool == tool {
			return each.key
		}
	}
	return ""
}

// capabilityJSON says of one capability whether it is there.
type capabilityJSON struct {
	Enabled bool   `json:"enabled"`
	Reason  string `json:"reason,omitempty"`
	Remedy  string `json:"remedy,omitempty"`
}

// getCapabilities answers get_capabilities. It never fails: what is not known of Roam now
// is told as the configuration has it.
func getCapabilities(ctx context.Context, c surface.Call) (surface.Reply, error) {
	standing := c.Standing(ctx, false)
	var each rawjson.Object
	enabled, disabled := []string{}, []string{}
	for _, one := range capabilities() {
		said := capabilityJSON{Enabled: true}
		if refusal := standing.Refused[one.tool]; refusal != nil {
			said = capabilityJSON{Reason: refusal.Message, Remedy: remedy(refusal, c.World())}
			disabled = append(disabled, one.key)
		} else {
			enabled = append(enabled, one.key)
		}
		each = each.With(one.key, said)
	}
	reply := rawjson.With("capabilities", each.JSON()).With("enabled", enabled).With("disabled", disabled).
		With("skill_version", assets.SkillVersion(Name)).With("server_version", standing.ServerVersion)
	reply = withText(reply, "roam_api_version", standing.APIVersion)
	reply = withText(reply, "graph", standing.Graph)
	reply = withText(reply, "access_level", string(standing.Level))
	reply = reply.With("roam", standing.Reach)
	return surface.Reply{JSON: withHint(reply, standing, c.World()).JSON()}, nil
}

// ping answers ping. It is no error where Roam is away: its status is degraded then.
func ping(ctx context.Context, c surface.Call) (surface.Reply, error) {
	standing := c.Standing(ctx, true)
	reply := rawjson.With("status", "ok").With("roam", standing.Reach)
	if standing.Fault != nil {
		reply = reply.With("status", "degraded")
	}
	if standing.Reach == surface.Reachable {
		reply = reply.With("latency_ms", standing.Took.Milliseconds())
	}
	reply = withText(reply, "graph", standing.Graph).With("server_version", standing.ServerVersion)
	return surface.Reply{JSON: withHint(reply, standing, c.World()).JSON()}, nil
}

// withHint adds what is wrong and what can be done about it.
func withHint(reply rawjson.Object, standing surface.Standing, world problem.World) rawjson.Object {
	if standing.Fault == nil {
		return reply
	}
	return withText(reply.With("cause", standing.Fault.Code).With("message", standing.Fault.Message), "hint", remedy(standing.Fault, world))
}

// withText adds a text where there is one.
func withText(reply rawjson.Object, field, text string) rawjson.Object {
	if text == "" {
		return reply
	}
	return reply.With(field, text)
}

// remedy says what can be done about an error.
func remedy(e *problem.Error, world problem.World) string {
	if ops.IsUnsupported(e) {
		return world.Say(say("Ask the user to update %s, and do without meanwhile; %s tells what is there.", problem.Roam, problem.TellCapabilities))
	}
	return world.Say(e.Hint)
}
