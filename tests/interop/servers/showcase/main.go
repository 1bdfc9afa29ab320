// Command showcase serves gapic-showcase's services on a free loopback port and prints where.
// Its own command listens on every interface.
package main

import (
	"fmt"
	"log"
	"net"

	lropb "cloud.google.com/go/longrunning/autogen/longrunningpb"
	"github.com/googleapis/gapic-showcase/server"
	pb "github.com/googleapis/gapic-showcase/server/genproto"
	"github.com/googleapis/gapic-showcase/server/services"
	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	identity := services.NewIdentityServer()
	messaging := services.NewMessagingServer(identity)
	s := grpc.NewServer()
	pb.RegisterEchoServer(s, services.NewEchoServer())
	pb.RegisterSequenceServiceServer(s, services.NewSequenceServer())
	pb.RegisterIdentityServer(s, identity)
	pb.RegisterMessagingServer(s, messaging)
	pb.RegisterComplianceServer(s, services.NewComplianceServer())
	pb.RegisterTestingServer(s, services.NewTestingServer(server.ShowcaseObserverRegistry()))
	lropb.RegisterOperationsServer(s, services.NewOperationsServer(messaging))
	reflection.Register(s)
	fmt.Println(listener.Addr())
	log.Fatal(s.Serve(listener))
}
