// Made by `python native/interpose/generate.py`: change functions.toml or generate.py, not this file.
// clang-format off
#include "generated/wrappers.hpp"
#include "relay/calls/calls.hpp"
#include "relay/collectives/collectives.hpp"
#include "relay/collectives/together.hpp"

namespace fairlead::relay {
namespace {

int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Allgather)>(Function::MPI_Allgather);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    return meet_and(comm, Mistakes(comm).count(sendbuf, sendcount).type(sendbuf, sendtype).count(recvcount).type(recvtype).own_block(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Allgather_c)>(Function::MPI_Allgather_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    return meet_and(comm, Mistakes(comm).count(sendbuf, sendcount).type(sendbuf, sendtype).count(recvcount).type(recvtype).own_block(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Allgatherv)>(Function::MPI_Allgatherv);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    return meet_and(comm, Mistakes(comm).count(sendbuf, sendcount).type(sendbuf, sendtype).type(recvtype).own_block(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm); });
}

int MPI_Allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Allgatherv_c)>(Function::MPI_Allgatherv_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    return meet_and(comm, Mistakes(comm).count(sendbuf, sendcount).type(sendbuf, sendtype).type(recvtype).own_block(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm); });
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Allreduce)>(Function::MPI_Allreduce);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    if (comm == comm_null()) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    return meet_and(comm, Mistakes(comm).count(count).type(datatype).operation(op).reduced_onto_itself(sendbuf, recvbuf, count), [&] { return direct(sendbuf, recvbuf, count, datatype, op, comm); });
}

int MPI_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Allreduce_c)>(Function::MPI_Allreduce_c);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    if (comm == comm_null()) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    return meet_and(comm, Mistakes(comm).count(count).type(datatype).operation(op).reduced_onto_itself(sendbuf, recvbuf, count), [&] { return direct(sendbuf, recvbuf, count, datatype, op, comm); });
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Alltoall)>(Function::MPI_Alltoall);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    return meet_and(comm, Mistakes(comm).count(sendbuf, sendcount).type(sendbuf, sendtype).count(recvcount).type(recvtype).sent_onto_itself(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Alltoall_c)>(Function::MPI_Alltoall_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    return meet_and(comm, Mistakes(comm).count(sendbuf, sendcount).type(sendbuf, sendtype).count(recvcount).type(recvtype).sent_onto_itself(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Alltoallv)>(Function::MPI_Alltoallv);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
    return meet_and(comm, Mistakes(comm).type(sendbuf, sendtype).type(recvtype).sent_onto_itself(sendbuf, sendcounts, sendtype, recvbuf, recvcounts, recvtype), [&] { return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm); });
}

int MPI_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Alltoallv_c)>(Function::MPI_Alltoallv_c);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
    return meet_and(comm, Mistakes(comm).type(sendbuf, sendtype).type(recvtype).sent_onto_itself(sendbuf, sendcounts, sendtype, recvbuf, recvcounts, recvtype), [&] { return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm); });
}

int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Alltoallw)>(Function::MPI_Alltoallw);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
    return meet_and(comm, Mistakes(comm).sent_onto_itself(sendbuf, sendcounts, sendtypes, recvbuf, recvcounts, recvtypes), [&] { return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm); });
}

int MPI_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Alltoallw_c)>(Function::MPI_Alltoallw_c);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
    return meet_and(comm, Mistakes(comm).sent_onto_itself(sendbuf, sendcounts, sendtypes, recvbuf, recvcounts, recvtypes), [&] { return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm); });
}

int MPI_Barrier(MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Barrier)>(Function::MPI_Barrier);
    if (passes_by(comm)) return direct(comm);
    if (comm == comm_null() || communicator(comm).outside) return direct(comm);
    plane->enter();
    return plane->gather(comm);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Bcast)>(Function::MPI_Bcast);
    if (passes_by(comm)) return direct(buffer, count, datatype, root, comm);
    if (comm == comm_null()) return direct(buffer, count, datatype, root, comm);
    return meet_and(comm, Mistakes(comm, root).count(count).type(datatype), [&] { return direct(buffer, count, datatype, root, comm); });
}

int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Bcast_c)>(Function::MPI_Bcast_c);
    if (passes_by(comm)) return direct(buffer, count, datatype, root, comm);
    if (comm == comm_null()) return direct(buffer, count, datatype, root, comm);
    return meet_and(comm, Mistakes(comm, root).count(count).type(datatype), [&] { return direct(buffer, count, datatype, root, comm); });
}

int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm* comm_cart) {
    const auto direct = library<decltype(wrapped::MPI_Cart_create)>(Function::MPI_Cart_create);
    if (passes_by()) return direct(comm_old, ndims, dims, periods, reorder, comm_cart);
    return create(comm_old, comm_cart, [&] { return direct(comm_old, ndims, dims, periods, reorder, comm_cart); });
}

int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
    const auto direct = library<decltype(wrapped::MPI_Cart_sub)>(Function::MPI_Cart_sub);
    if (passes_by()) return direct(comm, remain_dims, newcomm);
    return create(comm, newcomm, [&] { return direct(comm, remain_dims, newcomm); });
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
    const auto direct = library<decltype(wrapped::MPI_Comm_dup)>(Function::MPI_Comm_dup);
    if (passes_by()) return direct(comm, newcomm);
    return create(comm, newcomm, [&] { return direct(comm, newcomm); });
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
    const auto direct = library<decltype(wrapped::MPI_Comm_dup_with_info)>(Function::MPI_Comm_dup_with_info);
    if (passes_by()) return direct(comm, info, newcomm);
    const Hints hints(info);
    return noted(hints, newcomm, create(comm, newcomm, [&] { return direct(comm, hints, newcomm); }));
}

int MPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]) {
    const auto direct = library<decltype(wrapped::MPI_Comm_spawn)>(Function::MPI_Comm_spawn);
    if (passes_by()) return direct(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes);
    return create(comm, intercomm, [&] { return direct(command, argv, maxprocs, Hints(info), root, comm, intercomm, array_of_errcodes); });
}

int MPI_Comm_spawn_multiple(int count, char* array_of_commands[], char** array_of_argv[], const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]) {
    const auto direct = library<decltype(wrapped::MPI_Comm_spawn_multiple)>(Function::MPI_Comm_spawn_multiple);
    if (passes_by()) return direct(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes);
    return create(comm, intercomm, [&] { return direct(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes); });
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
    const auto direct = library<decltype(wrapped::MPI_Comm_split)>(Function::MPI_Comm_split);
    if (passes_by()) return direct(comm, color, key, newcomm);
    return create(comm, newcomm, [&] { return direct(comm, color, key, newcomm); });
}

int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
    const auto direct = library<decltype(wrapped::MPI_Comm_split_type)>(Function::MPI_Comm_split_type);
    if (passes_by()) return direct(comm, split_type, key, info, newcomm);
    const Hints hints(info);
    return noted(hints, newcomm, create(comm, newcomm, [&] { return direct(comm, split_type, key, hints, newcomm); }));
}

int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[], const int weights[], MPI_Info info, int reorder, MPI_Comm* comm_dist_graph) {
    const auto direct = library<decltype(wrapped::MPI_Dist_graph_create)>(Function::MPI_Dist_graph_create);
    if (passes_by()) return direct(comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph);
    return create(comm_old, comm_dist_graph, [&] { return direct(comm_old, n, sources, degrees, destinations, weights, Hints(info), reorder, comm_dist_graph); });
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[], int outdegree, const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm* comm_dist_graph) {
    const auto direct = library<decltype(wrapped::MPI_Dist_graph_create_adjacent)>(Function::MPI_Dist_graph_create_adjacent);
    if (passes_by()) return direct(comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, comm_dist_graph);
    return create(comm_old, comm_dist_graph, [&] { return direct(comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, Hints(info), reorder, comm_dist_graph); });
}

int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Exscan)>(Function::MPI_Exscan);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    if (comm == comm_null()) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    return meet_and(comm, Mistakes(comm).count(count).type(datatype).operation(op).reduced_onto_itself(sendbuf, recvbuf, count), [&] { return direct(sendbuf, recvbuf, count, datatype, op, comm); });
}

int MPI_Exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Exscan_c)>(Function::MPI_Exscan_c);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    if (comm == comm_null()) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    return meet_and(comm, Mistakes(comm).count(count).type(datatype).operation(op).reduced_onto_itself(sendbuf, recvbuf, count), [&] { return direct(sendbuf, recvbuf, count, datatype, op, comm); });
}

int MPI_File_preallocate(MPI_File fh, MPI_Offset size) {
    const auto direct = library<decltype(wrapped::MPI_File_preallocate)>(Function::MPI_File_preallocate);
    if (passes_by()) return direct(fh, size);
    return together(files.find(fh), [&] { return direct(fh, size); });
}

int MPI_File_read_all(MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    const auto direct = library<decltype(wrapped::MPI_File_read_all)>(Function::MPI_File_read_all);
    if (passes_by()) return direct(fh, buf, count, datatype, status);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype, status); });
}

int MPI_File_read_all_begin(MPI_File fh, void* buf, int count, MPI_Datatype datatype) {
    const auto direct = library<decltype(wrapped::MPI_File_read_all_begin)>(Function::MPI_File_read_all_begin);
    if (passes_by()) return direct(fh, buf, count, datatype);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype); });
}

int MPI_File_read_all_begin_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype) {
    const auto direct = library<decltype(wrapped::MPI_File_read_all_begin_c)>(Function::MPI_File_read_all_begin_c);
    if (passes_by()) return direct(fh, buf, count, datatype);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype); });
}

int MPI_File_read_all_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    const auto direct = library<decltype(wrapped::MPI_File_read_all_c)>(Function::MPI_File_read_all_c);
    if (passes_by()) return direct(fh, buf, count, datatype, status);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype, status); });
}

int MPI_File_read_at_all(MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    const auto direct = library<decltype(wrapped::MPI_File_read_at_all)>(Function::MPI_File_read_at_all);
    if (passes_by()) return direct(fh, offset, buf, count, datatype, status);
    return together(files.find(fh), [&] { return direct(fh, offset, buf, count, datatype, status); });
}

int MPI_File_read_at_all_begin(MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype) {
    const auto direct = library<decltype(wrapped::MPI_File_read_at_all_begin)>(Function::MPI_File_read_at_all_begin);
    if (passes_by()) return direct(fh, offset, buf, count, datatype);
    return together(files.find(fh), [&] { return direct(fh, offset, buf, count, datatype); });
}

int MPI_File_read_at_all_begin_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype) {
    const auto direct = library<decltype(wrapped::MPI_File_read_at_all_begin_c)>(Function::MPI_File_read_at_all_begin_c);
    if (passes_by()) return direct(fh, offset, buf, count, datatype);
    return together(files.find(fh), [&] { return direct(fh, offset, buf, count, datatype); });
}

int MPI_File_read_at_all_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    const auto direct = library<decltype(wrapped::MPI_File_read_at_all_c)>(Function::MPI_File_read_at_all_c);
    if (passes_by()) return direct(fh, offset, buf, count, datatype, status);
    return together(files.find(fh), [&] { return direct(fh, offset, buf, count, datatype, status); });
}

int MPI_File_read_ordered(MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    const auto direct = library<decltype(wrapped::MPI_File_read_ordered)>(Function::MPI_File_read_ordered);
    if (passes_by()) return direct(fh, buf, count, datatype, status);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype, status); });
}

int MPI_File_read_ordered_begin(MPI_File fh, void* buf, int count, MPI_Datatype datatype) {
    const auto direct = library<decltype(wrapped::MPI_File_read_ordered_begin)>(Function::MPI_File_read_ordered_begin);
    if (passes_by()) return direct(fh, buf, count, datatype);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype); });
}

int MPI_File_read_ordered_begin_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype) {
    const auto direct = library<decltype(wrapped::MPI_File_read_ordered_begin_c)>(Function::MPI_File_read_ordered_begin_c);
    if (passes_by()) return direct(fh, buf, count, datatype);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype); });
}

int MPI_File_read_ordered_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    const auto direct = library<decltype(wrapped::MPI_File_read_ordered_c)>(Function::MPI_File_read_ordered_c);
    if (passes_by()) return direct(fh, buf, count, datatype, status);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype, status); });
}

int MPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence) {
    const auto direct = library<decltype(wrapped::MPI_File_seek_shared)>(Function::MPI_File_seek_shared);
    if (passes_by()) return direct(fh, offset, whence);
    return together(files.find(fh), [&] { return direct(fh, offset, whence); });
}

int MPI_File_set_atomicity(MPI_File fh, int flag) {
    const auto direct = library<decltype(wrapped::MPI_File_set_atomicity)>(Function::MPI_File_set_atomicity);
    if (passes_by()) return direct(fh, flag);
    return together(files.find(fh), [&] { return direct(fh, flag); });
}

int MPI_File_set_info(MPI_File fh, MPI_Info info) {
    const auto direct = library<decltype(wrapped::MPI_File_set_info)>(Function::MPI_File_set_info);
    if (passes_by()) return direct(fh, info);
    return together(files.find(fh), [&] { return direct(fh, info); });
}

int MPI_File_set_size(MPI_File fh, MPI_Offset size) {
    const auto direct = library<decltype(wrapped::MPI_File_set_size)>(Function::MPI_File_set_size);
    if (passes_by()) return direct(fh, size);
    return together(files.find(fh), [&] { return direct(fh, size); });
}

int MPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep, MPI_Info info) {
    const auto direct = library<decltype(wrapped::MPI_File_set_view)>(Function::MPI_File_set_view);
    if (passes_by()) return direct(fh, disp, etype, filetype, datarep, info);
    return together(files.find(fh), [&] { return direct(fh, disp, etype, filetype, datarep, info); });
}

int MPI_File_sync(MPI_File fh) {
    const auto direct = library<decltype(wrapped::MPI_File_sync)>(Function::MPI_File_sync);
    if (passes_by()) return direct(fh);
    return together(files.find(fh), [&] { return direct(fh); });
}

int MPI_File_write_all(MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    const auto direct = library<decltype(wrapped::MPI_File_write_all)>(Function::MPI_File_write_all);
    if (passes_by()) return direct(fh, buf, count, datatype, status);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype, status); });
}

int MPI_File_write_all_begin(MPI_File fh, const void* buf, int count, MPI_Datatype datatype) {
    const auto direct = library<decltype(wrapped::MPI_File_write_all_begin)>(Function::MPI_File_write_all_begin);
    if (passes_by()) return direct(fh, buf, count, datatype);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype); });
}

int MPI_File_write_all_begin_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype) {
    const auto direct = library<decltype(wrapped::MPI_File_write_all_begin_c)>(Function::MPI_File_write_all_begin_c);
    if (passes_by()) return direct(fh, buf, count, datatype);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype); });
}

int MPI_File_write_all_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    const auto direct = library<decltype(wrapped::MPI_File_write_all_c)>(Function::MPI_File_write_all_c);
    if (passes_by()) return direct(fh, buf, count, datatype, status);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype, status); });
}

int MPI_File_write_at_all(MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    const auto direct = library<decltype(wrapped::MPI_File_write_at_all)>(Function::MPI_File_write_at_all);
    if (passes_by()) return direct(fh, offset, buf, count, datatype, status);
    return together(files.find(fh), [&] { return direct(fh, offset, buf, count, datatype, status); });
}

int MPI_File_write_at_all_begin(MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype) {
    const auto direct = library<decltype(wrapped::MPI_File_write_at_all_begin)>(Function::MPI_File_write_at_all_begin);
    if (passes_by()) return direct(fh, offset, buf, count, datatype);
    return together(files.find(fh), [&] { return direct(fh, offset, buf, count, datatype); });
}

int MPI_File_write_at_all_begin_c(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype) {
    const auto direct = library<decltype(wrapped::MPI_File_write_at_all_begin_c)>(Function::MPI_File_write_at_all_begin_c);
    if (passes_by()) return direct(fh, offset, buf, count, datatype);
    return together(files.find(fh), [&] { return direct(fh, offset, buf, count, datatype); });
}

int MPI_File_write_at_all_c(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    const auto direct = library<decltype(wrapped::MPI_File_write_at_all_c)>(Function::MPI_File_write_at_all_c);
    if (passes_by()) return direct(fh, offset, buf, count, datatype, status);
    return together(files.find(fh), [&] { return direct(fh, offset, buf, count, datatype, status); });
}

int MPI_File_write_ordered(MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    const auto direct = library<decltype(wrapped::MPI_File_write_ordered)>(Function::MPI_File_write_ordered);
    if (passes_by()) return direct(fh, buf, count, datatype, status);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype, status); });
}

int MPI_File_write_ordered_begin(MPI_File fh, const void* buf, int count, MPI_Datatype datatype) {
    const auto direct = library<decltype(wrapped::MPI_File_write_ordered_begin)>(Function::MPI_File_write_ordered_begin);
    if (passes_by()) return direct(fh, buf, count, datatype);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype); });
}

int MPI_File_write_ordered_begin_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype) {
    const auto direct = library<decltype(wrapped::MPI_File_write_ordered_begin_c)>(Function::MPI_File_write_ordered_begin_c);
    if (passes_by()) return direct(fh, buf, count, datatype);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype); });
}

int MPI_File_write_ordered_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    const auto direct = library<decltype(wrapped::MPI_File_write_ordered_c)>(Function::MPI_File_write_ordered_c);
    if (passes_by()) return direct(fh, buf, count, datatype, status);
    return together(files.find(fh), [&] { return direct(fh, buf, count, datatype, status); });
}

int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Gather)>(Function::MPI_Gather);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    return meet_and(comm, Mistakes(comm, root).count(sendbuf, sendcount).type(sendbuf, sendtype).count_of_root(recvcount).type_of_root(recvtype).own_block(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); });
}

int MPI_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Gather_c)>(Function::MPI_Gather_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    return meet_and(comm, Mistakes(comm, root).count(sendbuf, sendcount).type(sendbuf, sendtype).count_of_root(recvcount).type_of_root(recvtype).own_block(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); });
}

int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Gatherv)>(Function::MPI_Gatherv);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
    return meet_and(comm, Mistakes(comm, root).count(sendbuf, sendcount).type(sendbuf, sendtype).type_of_root(recvtype).own_block(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm); });
}

int MPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Gatherv_c)>(Function::MPI_Gatherv_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
    return meet_and(comm, Mistakes(comm, root).count(sendbuf, sendcount).type(sendbuf, sendtype).type_of_root(recvtype).own_block(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm); });
}

int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm* comm_graph) {
    const auto direct = library<decltype(wrapped::MPI_Graph_create)>(Function::MPI_Graph_create);
    if (passes_by()) return direct(comm_old, nnodes, index, edges, reorder, comm_graph);
    return create(comm_old, comm_graph, [&] { return direct(comm_old, nnodes, index, edges, reorder, comm_graph); });
}

int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
    const auto direct = library<decltype(wrapped::MPI_Intercomm_merge)>(Function::MPI_Intercomm_merge);
    if (passes_by()) return direct(intercomm, high, newintracomm);
    return create(intercomm, newintracomm, [&] { return direct(intercomm, high, newintracomm); });
}

int MPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_allgather)>(Function::MPI_Neighbor_allgather);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    return meet_and(comm, Mistakes(comm).count(sendcount).type(sendtype).count(recvcount).type(recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Neighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_allgather_c)>(Function::MPI_Neighbor_allgather_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    return meet_and(comm, Mistakes(comm).count(sendcount).type(sendtype).count(recvcount).type(recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_allgatherv)>(Function::MPI_Neighbor_allgatherv);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    return meet_and(comm, Mistakes(comm).count(sendcount).type(sendtype).type(recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm); });
}

int MPI_Neighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_allgatherv_c)>(Function::MPI_Neighbor_allgatherv_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    return meet_and(comm, Mistakes(comm).count(sendcount).type(sendtype).type(recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm); });
}

int MPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_alltoall)>(Function::MPI_Neighbor_alltoall);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    return meet_and(comm, Mistakes(comm).count(sendcount).type(sendtype).count(recvcount).type(recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_alltoall_c)>(Function::MPI_Neighbor_alltoall_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    return meet_and(comm, Mistakes(comm).count(sendcount).type(sendtype).count(recvcount).type(recvtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_alltoallv)>(Function::MPI_Neighbor_alltoallv);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
    return meet_and(comm, Mistakes(comm).type(sendtype).type(recvtype), [&] { return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm); });
}

int MPI_Neighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_alltoallv_c)>(Function::MPI_Neighbor_alltoallv_c);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
    return meet_and(comm, Mistakes(comm).type(sendtype).type(recvtype), [&] { return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm); });
}

int MPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_alltoallw)>(Function::MPI_Neighbor_alltoallw);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
    return meet_and(comm, Mistakes(comm), [&] { return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm); });
}

int MPI_Neighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_alltoallw_c)>(Function::MPI_Neighbor_alltoallw_c);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
    return meet_and(comm, Mistakes(comm), [&] { return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm); });
}

int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Reduce)>(Function::MPI_Reduce);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, root, comm);
    if (comm == comm_null()) return direct(sendbuf, recvbuf, count, datatype, op, root, comm);
    return meet_and(comm, Mistakes(comm, root).count(count).type(datatype).operation(op).reduced_onto_itself(sendbuf, recvbuf, count), [&] { return direct(sendbuf, recvbuf, count, datatype, op, root, comm); });
}

int MPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Reduce_c)>(Function::MPI_Reduce_c);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, root, comm);
    if (comm == comm_null()) return direct(sendbuf, recvbuf, count, datatype, op, root, comm);
    return meet_and(comm, Mistakes(comm, root).count(count).type(datatype).operation(op).reduced_onto_itself(sendbuf, recvbuf, count), [&] { return direct(sendbuf, recvbuf, count, datatype, op, root, comm); });
}

int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Reduce_scatter)>(Function::MPI_Reduce_scatter);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, recvcounts, datatype, op, comm);
    if (comm == comm_null()) return direct(sendbuf, recvbuf, recvcounts, datatype, op, comm);
    return meet_and(comm, Mistakes(comm).type(datatype).operation(op).reduced_onto_itself(sendbuf, recvbuf, recvcounts), [&] { return direct(sendbuf, recvbuf, recvcounts, datatype, op, comm); });
}

int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Reduce_scatter_block)>(Function::MPI_Reduce_scatter_block);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, recvcount, datatype, op, comm);
    if (comm == comm_null()) return direct(sendbuf, recvbuf, recvcount, datatype, op, comm);
    return meet_and(comm, Mistakes(comm).count(recvcount).type(datatype).operation(op).reduced_onto_itself(sendbuf, recvbuf, recvcount), [&] { return direct(sendbuf, recvbuf, recvcount, datatype, op, comm); });
}

int MPI_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Reduce_scatter_block_c)>(Function::MPI_Reduce_scatter_block_c);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, recvcount, datatype, op, comm);
    if (comm == comm_null()) return direct(sendbuf, recvbuf, recvcount, datatype, op, comm);
    return meet_and(comm, Mistakes(comm).count(recvcount).type(datatype).operation(op).reduced_onto_itself(sendbuf, recvbuf, recvcount), [&] { return direct(sendbuf, recvbuf, recvcount, datatype, op, comm); });
}

int MPI_Reduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Reduce_scatter_c)>(Function::MPI_Reduce_scatter_c);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, recvcounts, datatype, op, comm);
    if (comm == comm_null()) return direct(sendbuf, recvbuf, recvcounts, datatype, op, comm);
    return meet_and(comm, Mistakes(comm).type(datatype).operation(op).reduced_onto_itself(sendbuf, recvbuf, recvcounts), [&] { return direct(sendbuf, recvbuf, recvcounts, datatype, op, comm); });
}

int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Scan)>(Function::MPI_Scan);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    if (comm == comm_null()) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    return meet_and(comm, Mistakes(comm).count(count).type(datatype).operation(op).reduced_onto_itself(sendbuf, recvbuf, count), [&] { return direct(sendbuf, recvbuf, count, datatype, op, comm); });
}

int MPI_Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Scan_c)>(Function::MPI_Scan_c);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    if (comm == comm_null()) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    return meet_and(comm, Mistakes(comm).count(count).type(datatype).operation(op).reduced_onto_itself(sendbuf, recvbuf, count), [&] { return direct(sendbuf, recvbuf, count, datatype, op, comm); });
}

int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Scatter)>(Function::MPI_Scatter);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    return meet_and(comm, Mistakes(comm, root).count_of_root(sendcount).type_of_root(sendtype).count(recvbuf, recvcount).type(recvbuf, recvtype).own_block(recvbuf, recvcount, recvtype, sendbuf, sendcount, sendtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); });
}

int MPI_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Scatter_c)>(Function::MPI_Scatter_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    return meet_and(comm, Mistakes(comm, root).count_of_root(sendcount).type_of_root(sendtype).count(recvbuf, recvcount).type(recvbuf, recvtype).own_block(recvbuf, recvcount, recvtype, sendbuf, sendcount, sendtype), [&] { return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); });
}

int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Scatterv)>(Function::MPI_Scatterv);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
    return meet_and(comm, Mistakes(comm, root).type_of_root(sendtype).count(recvbuf, recvcount).type(recvbuf, recvtype).own_block(recvbuf, recvcount, recvtype, sendbuf, sendcounts, displs, sendtype), [&] { return direct(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm); });
}

int MPI_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Scatterv_c)>(Function::MPI_Scatterv_c);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
    if (comm == comm_null()) return direct(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
    return meet_and(comm, Mistakes(comm, root).type_of_root(sendtype).count(recvbuf, recvcount).type(recvbuf, recvtype).own_block(recvbuf, recvcount, recvtype, sendbuf, sendcounts, displs, sendtype), [&] { return direct(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm); });
}

}  // namespace

void put_collectives(Table& table) {
    table.put(Function::MPI_Allgather, MPI_Allgather);
    table.put(Function::MPI_Allgather_c, MPI_Allgather_c);
    table.put(Function::MPI_Allgatherv, MPI_Allgatherv);
    table.put(Function::MPI_Allgatherv_c, MPI_Allgatherv_c);
    table.put(Function::MPI_Allreduce, MPI_Allreduce);
    table.put(Function::MPI_Allreduce_c, MPI_Allreduce_c);
    table.put(Function::MPI_Alltoall, MPI_Alltoall);
    table.put(Function::MPI_Alltoall_c, MPI_Alltoall_c);
    table.put(Function::MPI_Alltoallv, MPI_Alltoallv);
    table.put(Function::MPI_Alltoallv_c, MPI_Alltoallv_c);
    table.put(Function::MPI_Alltoallw, MPI_Alltoallw);
    table.put(Function::MPI_Alltoallw_c, MPI_Alltoallw_c);
    table.put(Function::MPI_Barrier, MPI_Barrier);
    table.put(Function::MPI_Bcast, MPI_Bcast);
    table.put(Function::MPI_Bcast_c, MPI_Bcast_c);
    table.put(Function::MPI_Exscan, MPI_Exscan);
    table.put(Function::MPI_Exscan_c, MPI_Exscan_c);
    table.put(Function::MPI_Gather, MPI_Gather);
    table.put(Function::MPI_Gather_c, MPI_Gather_c);
    table.put(Function::MPI_Gatherv, MPI_Gatherv);
    table.put(Function::MPI_Gatherv_c, MPI_Gatherv_c);
    table.put(Function::MPI_Neighbor_allgather, MPI_Neighbor_allgather);
    table.put(Function::MPI_Neighbor_allgather_c, MPI_Neighbor_allgather_c);
    table.put(Function::MPI_Neighbor_allgatherv, MPI_Neighbor_allgatherv);
    table.put(Function::MPI_Neighbor_allgatherv_c, MPI_Neighbor_allgatherv_c);
    table.put(Function::MPI_Neighbor_alltoall, MPI_Neighbor_alltoall);
    table.put(Function::MPI_Neighbor_alltoall_c, MPI_Neighbor_alltoall_c);
    table.put(Function::MPI_Neighbor_alltoallv, MPI_Neighbor_alltoallv);
    table.put(Function::MPI_Neighbor_alltoallv_c, MPI_Neighbor_alltoallv_c);
    table.put(Function::MPI_Neighbor_alltoallw, MPI_Neighbor_alltoallw);
    table.put(Function::MPI_Neighbor_alltoallw_c, MPI_Neighbor_alltoallw_c);
    table.put(Function::MPI_Reduce, MPI_Reduce);
    table.put(Function::MPI_Reduce_c, MPI_Reduce_c);
    table.put(Function::MPI_Reduce_scatter, MPI_Reduce_scatter);
    table.put(Function::MPI_Reduce_scatter_block, MPI_Reduce_scatter_block);
    table.put(Function::MPI_Reduce_scatter_block_c, MPI_Reduce_scatter_block_c);
    table.put(Function::MPI_Reduce_scatter_c, MPI_Reduce_scatter_c);
    table.put(Function::MPI_Scan, MPI_Scan);
    table.put(Function::MPI_Scan_c, MPI_Scan_c);
    table.put(Function::MPI_Scatter, MPI_Scatter);
    table.put(Function::MPI_Scatter_c, MPI_Scatter_c);
    table.put(Function::MPI_Scatterv, MPI_Scatterv);
    table.put(Function::MPI_Scatterv_c, MPI_Scatterv_c);
}

void put_creations(Table& table) {
    table.put(Function::MPI_Cart_create, MPI_Cart_create);
    table.put(Function::MPI_Cart_sub, MPI_Cart_sub);
    table.put(Function::MPI_Comm_dup, MPI_Comm_dup);
    table.put(Function::MPI_Comm_dup_with_info, MPI_Comm_dup_with_info);
    table.put(Function::MPI_Comm_spawn, MPI_Comm_spawn);
    table.put(Function::MPI_Comm_spawn_multiple, MPI_Comm_spawn_multiple);
    table.put(Function::MPI_Comm_split, MPI_Comm_split);
    table.put(Function::MPI_Comm_split_type, MPI_Comm_split_type);
    table.put(Function::MPI_Dist_graph_create, MPI_Dist_graph_create);
    table.put(Function::MPI_Dist_graph_create_adjacent, MPI_Dist_graph_create_adjacent);
    table.put(Function::MPI_Graph_create, MPI_Graph_create);
    table.put(Function::MPI_Intercomm_merge, MPI_Intercomm_merge);
}

void put_file_calls(Table& table) {
    table.put(Function::MPI_File_preallocate, MPI_File_preallocate);
    table.put(Function::MPI_File_read_all, MPI_File_read_all);
    table.put(Function::MPI_File_read_all_begin, MPI_File_read_all_begin);
    table.put(Function::MPI_File_read_all_begin_c, MPI_File_read_all_begin_c);
    table.put(Function::MPI_File_read_all_c, MPI_File_read_all_c);
    table.put(Function::MPI_File_read_at_all, MPI_File_read_at_all);
    table.put(Function::MPI_File_read_at_all_begin, MPI_File_read_at_all_begin);
    table.put(Function::MPI_File_read_at_all_begin_c, MPI_File_read_at_all_begin_c);
    table.put(Function::MPI_File_read_at_all_c, MPI_File_read_at_all_c);
    table.put(Function::MPI_File_read_ordered, MPI_File_read_ordered);
    table.put(Function::MPI_File_read_ordered_begin, MPI_File_read_ordered_begin);
    table.put(Function::MPI_File_read_ordered_begin_c, MPI_File_read_ordered_begin_c);
    table.put(Function::MPI_File_read_ordered_c, MPI_File_read_ordered_c);
    table.put(Function::MPI_File_seek_shared, MPI_File_seek_shared);
    table.put(Function::MPI_File_set_atomicity, MPI_File_set_atomicity);
    table.put(Function::MPI_File_set_info, MPI_File_set_info);
    table.put(Function::MPI_File_set_size, MPI_File_set_size);
    table.put(Function::MPI_File_set_view, MPI_File_set_view);
    table.put(Function::MPI_File_sync, MPI_File_sync);
    table.put(Function::MPI_File_write_all, MPI_File_write_all);
    table.put(Function::MPI_File_write_all_begin, MPI_File_write_all_begin);
    table.put(Function::MPI_File_write_all_begin_c, MPI_File_write_all_begin_c);
    table.put(Function::MPI_File_write_all_c, MPI_File_write_all_c);
    table.put(Function::MPI_File_write_at_all, MPI_File_write_at_all);
    table.put(Function::MPI_File_write_at_all_begin, MPI_File_write_at_all_begin);
    table.put(Function::MPI_File_write_at_all_begin_c, MPI_File_write_at_all_begin_c);
    table.put(Function::MPI_File_write_at_all_c, MPI_File_write_at_all_c);
    table.put(Function::MPI_File_write_ordered, MPI_File_write_ordered);
    table.put(Function::MPI_File_write_ordered_begin, MPI_File_write_ordered_begin);
    table.put(Function::MPI_File_write_ordered_begin_c, MPI_File_write_ordered_begin_c);
    table.put(Function::MPI_File_write_ordered_c, MPI_File_write_ordered_c);
}

}  // namespace fairlead::relay
