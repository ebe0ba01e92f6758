package mcpserve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/assets"
)

// Skill returns the skill of a profile: what an agent has to know to work with its
// tools. A profile that this build does not know is an error that lists the known ones.
func Skill(profile string) (string, error) {
	p, err := findProfile(allProfiles(), profile)
	if err != nil {
		return "", err
	}
	text, _ := assets.Skill(p.Name)
	return text, nil
}

// offerSkill puts the profile's skill into the list of resources. It needs no graph.
func offerSkill(server *mcp.Server, profile string) {
	text, found := assets.Skill(profile)
	if !found {
		return
	}
	uri := "roam-mcp://skill/" + profile
	server.AddResource(&mcp.Resource{
		URI: uri, Name: "skill " + profile, Title: "Skill: " + profile,
		Description: "How to work with the tools of this server.", MIMEType: markdownType,
	}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: markdownType, Text: text}}}, nil
	})
}
