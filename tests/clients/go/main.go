// The official Go SDK, unmodified, against a running sandbox: go run . RECORDS.json
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/cloudflare/cloudflare-go/v6"
	"github.com/cloudflare/cloudflare-go/v6/dns"
	"github.com/cloudflare/cloudflare-go/v6/option"
	"github.com/cloudflare/cloudflare-go/v6/rulesets"
	"github.com/cloudflare/cloudflare-go/v6/zones"
)

const zoneName = "go.example"

var failed bool

// that writes one check into the file of results.
func that(area string, holds bool, detail string) {
	outcome := "ok"
	if !holds {
		outcome, failed = "FAILED", true
	}
	file, err := os.OpenFile(os.Getenv("RESULTS"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	fmt.Fprintf(file, "Go SDK\t%s\t%s\t%s\n", area, outcome, strings.Join(strings.Fields(detail), " "))
}

// refused says whether an error is the API's with this status and code.
func refused(err error, status int, code int64) bool {
	var problem *cloudflare.Error
	return errors.As(err, &problem) && problem.StatusCode == status && len(problem.Errors) > 0 && problem.Errors[0].Code == code
}

// sent is a record of the file with two values.
type sent struct {
	Type  string
	Name  string
	Value map[string]any
	Other map[string]any
}

func main() {
	ctx := context.Background()
	options := []option.RequestOption{
		option.WithBaseURL(os.Getenv("CLOUDFLARE_BASE_URL")),
		option.WithAPIToken(os.Getenv("CLOUDFLARE_API_TOKEN")),
		option.WithMaxRetries(0),
	}
	found, err := zones.NewZoneService(options...).List(ctx, zones.ZoneListParams{Name: cloudflare.F(zoneName)})
	that("zones", err == nil && len(found.Result) == 1, fmt.Sprint("list: ", err))
	if err != nil || len(found.Result) != 1 {
		os.Exit(1)
	}
	zone := found.Result[0].ID
	_, err = zones.NewZoneService(options...).Get(ctx, zones.ZoneGetParams{ZoneID: cloudflare.F(strings.Repeat("0", 32))})
	that("zones", refused(err, 403, 9109), fmt.Sprint("unknown zone: ", err))

	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var all []sent
	if err := json.Unmarshal(text, &all); err != nil {
		panic(err)
	}
	records := dns.NewRecordService(options...)
	for _, r := range all {
		area := "record " + r.Type
		name := r.Name + "." + zoneName
		fresh := dns.RecordNewParamsBody{
			Name: cloudflare.F(name), TTL: cloudflare.F(dns.TTL(300)), Type: cloudflare.F(dns.RecordNewParamsBodyType(r.Type)),
		}
		if text, ok := r.Value["content"].(string); ok {
			fresh.Content = cloudflare.F(text)
		}
		if object, ok := r.Value["data"]; ok {
			fresh.Data = cloudflare.F[any](object)
		}
		if number, ok := r.Value["priority"].(float64); ok {
			fresh.Priority = cloudflare.F(number)
		}
		create := dns.RecordNewParams{ZoneID: cloudflare.F(zone), Body: fresh}
		made, err := records.New(ctx, create)
		that(area, err == nil && string(made.Type) == r.Type, fmt.Sprint("create: ", err))
		if err != nil {
			continue
		}
		_, err = records.New(ctx, create)
		that(area, refused(err, 400, 81058), fmt.Sprint("the same again: ", err))
		other := dns.RecordUpdateParamsBody{
			Name: cloudflare.F(name), TTL: cloudflare.F(dns.TTL(300)), Type: cloudflare.F(dns.RecordUpdateParamsBodyType(r.Type)),
		}
		if text, ok := r.Other["content"].(string); ok {
			other.Content = cloudflare.F(text)
		}
		if object, ok := r.Other["data"]; ok {
			other.Data = cloudflare.F[any](object)
		}
		if number, ok := r.Other["priority"].(float64); ok {
			other.Priority = cloudflare.F(number)
		}
		changed, err := records.Update(ctx, made.ID, dns.RecordUpdateParams{ZoneID: cloudflare.F(zone), Body: other})
		that(area, err == nil && changed.ID == made.ID && float64(changed.TTL) == 300, fmt.Sprint("update: ", err))
		got, err := records.Get(ctx, made.ID, dns.RecordGetParams{ZoneID: cloudflare.F(zone)})
		that(area, err == nil && got.Content == changed.Content && got.Name == name, fmt.Sprint("get: ", err))
	}
	count := 0
	pages := records.ListAutoPaging(ctx, dns.RecordListParams{
		ZoneID: cloudflare.F(zone), PerPage: cloudflare.F(5.0), Order: cloudflare.F(dns.RecordListParamsOrderName),
	})
	for pages.Next() {
		count++
		_, err = records.Delete(ctx, pages.Current().ID, dns.RecordDeleteParams{ZoneID: cloudflare.F(zone)})
		if err != nil {
			that("list", false, fmt.Sprint("delete: ", err))
		}
	}
	that("list", pages.Err() == nil && count > 0, fmt.Sprintf("%d records of %d in pages of 5, deleted on the way: %v", count, len(all), pages.Err()))

	sets := rulesets.NewRulesetService(options...)
	phase := rulesets.PhaseHTTPRequestFirewallCustom
	_, err = sets.Phases.Get(ctx, phase, rulesets.PhaseGetParams{ZoneID: cloudflare.F(zone)})
	that("rulesets", refused(err, 404, 10003), fmt.Sprint("no entry point yet: ", err))
	rule := rulesets.BlockRuleParam{
		Action: cloudflare.F(rulesets.BlockRuleActionBlock), Expression: cloudflare.F(`http.host eq "go.example"`),
		Description: cloudflare.F("by the Go SDK"),
	}
	put, err := sets.Phases.Update(ctx, phase, rulesets.PhaseUpdateParams{
		ZoneID: cloudflare.F(zone), Rules: cloudflare.F([]rulesets.PhaseUpdateParamsRuleUnion{rule}),
	})
	that("rulesets", err == nil && len(put.Rules) == 1 && put.Rules[0].Description == "by the Go SDK", fmt.Sprint("update: ", err))
	if err == nil {
		err = sets.Delete(ctx, put.ID, rulesets.RulesetDeleteParams{ZoneID: cloudflare.F(zone)})
		that("rulesets", err == nil, fmt.Sprint("delete: ", err))
	}
	if failed {
		os.Exit(1)
	}
}
